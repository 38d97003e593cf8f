/** Responses that never end, over real connections: the client limits the bytes and the time of each. */
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { openEndlessServer, type EndlessResponse } from '../support/endless-server.ts';
import { collected, rejection } from './client-setup.ts';

const MiB = 1024 * 1024;
/** Bytes that the buffers of both sockets may hold beyond those that are read. */
const IN_SOCKETS = 24 * MiB;

async function openEndless(answer: EndlessResponse) {
  const server = await openEndlessServer(answer);
  const clock = manualClock();
  const client = createClient({ url: server.url, apiKey: 'key', clock, timeoutMs: 1_000, idleMs: 1_000 });
  return { server, clock, client };
}

test('an endless record is read up to 10 MiB, and is not requested again', async () => {
  const { server, client } = await openEndless({ begin: '{"data":"' });

  expect(await rejection(client.companies.read(1))).toMatchObject({
    code: 'unreadable',
    message: expect.stringMatching(/^readCompany received a response of more than the limit of 10 MiB/),
  });
  await server.disconnected;
  expect(server.bytesSent()).toBeLessThan(10 * MiB + IN_SOCKETS);
});

test.each([
  [404, 'not-found'],
  [500, 'provider-failed'],
])('an endless error response is reported by its status: %i', async (status, code) => {
  const { server, client } = await openEndless({ status });

  const call = status === 404 ? client.companies.read(1) : client.companies.certificate.remove(1);
  expect(await rejection(call)).toMatchObject({ code, status, detail: null });
  await server.disconnected;
  expect(server.bytesSent()).toBeLessThan(MiB + IN_SOCKETS);
});

test('an endless error response to a stream is reported by its status', async () => {
  const { server, client } = await openEndless({ status: 404 });

  expect(await rejection(collected(client.companies.sync.stream(1)))).toMatchObject({ code: 'not-found' });
  await server.disconnected;
});

test.each([
  ['one long line', 'data: ', 'x'.repeat(65_536)],
  ['many lines', '', `data: ${'x'.repeat(1_000)}\n`],
  ['an unknown field', 'nonsense: ', 'x'.repeat(65_536)],
])('an endless event is read up to 1 MiB: %s', async (_, begin, chunk) => {
  const { server, client } = await openEndless({ type: 'text/event-stream', begin, chunk });

  expect(await rejection(collected(client.companies.sync.stream(1)))).toMatchObject({
    code: 'unreadable',
    message: expect.stringMatching(/^streamSync received an event of more than the limit of 1 MiB/),
  });
  await server.disconnected;
  expect(server.bytesSent()).toBeLessThan(MiB + IN_SOCKETS);
});

test('a response that stalls fails at the time limit', async () => {
  const { server, clock, client } = await openEndless({ begin: '{"data":', chunk: '' });

  const failed = rejection(client.companies.certificate.remove(1));
  await server.responding;
  clock.advance(1_000);

  expect(await failed).toMatchObject({
    code: 'timed-out',
    message: 'removeCertificate timed out: no response within 1000 ms',
  });
  await server.disconnected;
});
