/** The provider's app over real sockets. What its server does with slow and hostile clients, the receiver's tests show. */
import { onTestFinished, test, expect } from 'vitest';
import { connect } from '../../test/support/raw-connection.ts';
import { listening } from './kit/listening.ts';
import { openTestProvider } from './kit/test-provider.ts';

test.each([
  ['too large', 1_100_000, undefined, false, 413],
  ['far too large', 5_000_000, undefined, false, 413],
  ['too large, in chunks', 1_100_000, undefined, true, 413],
  ['of somebody unknown', 1_000_000, 'fdc_guessed', false, 401],
])(
  'after a body that is %s the connection takes the next request',
  async (_, bytes, guessed, inChunks, status) => {
    const { app, ours } = await openTestProvider();
    const { port } = await listening(app);
    const { send, response, socket } = await connect(port);
    onTestFinished(() => void socket.destroy());
    const head = (first: string, ...headers: string[]) =>
      [`${first} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');
    const length = inChunks ? 'transfer-encoding: chunked' : `content-length: ${String(bytes)}`;
    const body = 'a'.repeat(bytes);

    for (let time = 0; time < 2; time += 1) {
      const key = `x-api-key: ${guessed ?? ours.key}`;
      send(head('POST /v1/companies', key, 'content-type: application/json', length));
      send(inChunks ? `${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body);
      expect((await response()).status).toBe(status);
      send(head('GET /v1/companies', `x-api-key: ${ours.key}`));
      expect((await response()).status).toBe(200);
    }
  },
);
