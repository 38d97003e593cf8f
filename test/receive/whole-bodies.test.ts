/** Bodies that come along with their headers, which most do: they are neither timed nor collected. */
import { afterEach, expect, test, vi } from 'vitest';
import { connect, type RawConnection } from '../support/raw-connection.ts';
import { startReceiving, type ReceivingServer } from '../support/receiving-server.ts';

let server: ReceivingServer;

async function open(maxBodyBytes = 1_000): Promise<RawConnection> {
  server = await startReceiving({ maxBodyBytes });
  return connect(server.port);
}

afterEach(() => server.stop());

const announced = (body: string): string =>
  `POST /webhooks HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`;
const chunked = (chunks: string): string =>
  `POST /webhooks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`;

test('such a body is taken without a timer', async () => {
  const connection = await open();
  const after = vi.spyOn(server.clock, 'after');
  connection.send(announced('{"é":1}'));
  expect(await connection.response()).toMatchObject({ status: 202 });
  expect(Buffer.from(server.received[0]?.body ?? []).toString()).toBe('{"é":1}');
  expect(after).not.toHaveBeenCalledWith(400, expect.anything());
});

test('one whose last byte is missing is waited for, and timed', async () => {
  const connection = await open();
  const [most, last] = [announced('{"a":1}').slice(0, -1), '}'];
  connection.send(most);
  await vi.waitFor(() => {
    expect(server.clock.untilNext).toBe(400);
  });
  connection.send(last);
  expect(await connection.response()).toMatchObject({ status: 202 });
  expect(Buffer.from(server.received[0]?.body ?? []).toString()).toBe('{"a":1}');
});

test('several in one packet are told apart, empty ones too', async () => {
  const connection = await open();
  const bodies = ['{"a":1}', '', '{"b":2}', '{"c":3}'];
  connection.send(bodies.map(announced).join(''));
  for (const _body of bodies) expect(await connection.response()).toMatchObject({ status: 202 });
  expect(server.received.map(({ body }) => Buffer.from(body).toString())).toEqual(bodies);
});

test('in chunks of a byte it is refused as it would be if it came slowly', async () => {
  const connection = await open(1_000_000);
  connection.send(chunked('1\r\nx\r\n'.repeat(4_300)));
  expect(await connection.response()).toMatchObject({
    status: 413,
    body: '{"error":"Payload Too Large","message":"The body comes in too many chunks"}',
  });
  expect(server.received).toEqual([]);
});
