/** Over real connections: what a client meets beside the answers themselves. */
import { expect, onTestFinished, test } from 'vitest';
import { listenService } from '../../src/service/http/listen-service.ts';
import { connect } from '../support/raw-connection.ts';
import { openServiceWorld } from './service-world.ts';

async function connected() {
  const { app, ours } = await openServiceWorld();
  const { port, close } = await listenService(app, '127.0.0.1', 0);
  const connection = await connect(port);
  onTestFinished(async () => {
    connection.socket.destroy();
    await close();
  });
  const head = (first: string, ...headers: string[]) =>
    [`${first} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');
  return {
    ...connection,
    ask: (path: string) => {
      connection.send(head(`GET ${path}`, `x-api-key: ${ours.key}`));
      return connection.answer();
    },
    /** A body of so many bytes, in chunks or with its length told. */
    post: (bytes: number, key = ours.key, inChunks = false) => {
      const length = inChunks ? 'transfer-encoding: chunked' : `content-length: ${String(bytes)}`;
      connection.send(
        head('POST /v1/companies', `x-api-key: ${key}`, 'content-type: application/json', length),
      );
      const body = 'a'.repeat(bytes);
      connection.send(inChunks ? `${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body);
      return connection.answer();
    },
  };
}

test.each([
  ['too large', 1_100_000, undefined, false, 413],
  ['far too large', 5_000_000, undefined, false, 413],
  ['too large, in chunks', 1_100_000, undefined, true, 413],
  ['of somebody unknown', 1_000_000, 'fdc_guessed', false, 401],
])(
  'after a body that is %s the connection takes the next request',
  async (_, bytes, key, inChunks, status) => {
    const { ask, post } = await connected();

    for (let time = 0; time < 2; time += 1) {
      expect((await post(bytes, key, inChunks)).status).toBe(status);
      expect((await ask('/v1/companies')).status).toBe(200);
    }
  },
);

test('a connection is kept longer than common proxies keep it', async () => {
  const { ask } = await connected();

  const { headers } = await ask('/openapi.json');

  expect(headers['keep-alive']).toBe('timeout=65');
});
