/** A provider whose answers never end, over real connections: each is bounded in bytes and in time. */
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { openEndlessServer, type EndlessResponse } from '../support/endless-server.ts';
import { collected, rejection } from './client-world.ts';

const MiB = 1024 * 1024;
/** What the sockets of both sides may hold beside what is read. */
const IN_SOCKETS = 24 * MiB;

async function openEndless(answer: EndlessResponse) {
  const server = await openEndlessServer(answer);
  const clock = manualClock();
  const client = createClient({ url: server.url, apiKey: 'key', clock, timeoutMs: 1_000, idleMs: 1_000 });
  return { server, clock, client };
}

test('a record without end is read up to 10 MiB, and not asked for again', async () => {
  const { server, client } = await openEndless({ begin: '{"data":"' });

  expect(await rejection(client.companies.read(1))).toMatchObject({
    code: 'unreadable',
    message: 'readCompany was answered more than 10 MiB, the most that is read',
  });
  await server.disconnected;
  expect(server.bytesSent()).toBeLessThan(10 * MiB + IN_SOCKETS);
});

test.each([
  [404, 'not-found'],
  [500, 'provider-failed'],
])('a refusal without end is what its status says: %i', async (status, code) => {
  const { server, client } = await openEndless({ status });

  const call = status === 404 ? client.companies.read(1) : client.companies.removeCertificate(1);
  expect(await rejection(call)).toMatchObject({ code, status, detail: null });
  await server.disconnected;
  expect(server.bytesSent()).toBeLessThan(MiB + IN_SOCKETS);
});

test('a refusal of a stream without end is what its status says', async () => {
  const { server, client } = await openEndless({ status: 404 });

  expect(await rejection(collected(client.companies.streamSync(1)))).toMatchObject({ code: 'not-found' });
  await server.disconnected;
});

test.each([
  ['one long line', 'data: ', 'x'.repeat(65_536)],
  ['many lines', '', `data: ${'x'.repeat(1_000)}\n`],
  ['a field that nobody knows', 'nonsense: ', 'x'.repeat(65_536)],
])('an event without end is read up to 1 MiB: %s', async (_, begin, chunk) => {
  const { server, client } = await openEndless({ type: 'text/event-stream', begin, chunk });

  expect(await rejection(collected(client.companies.streamSync(1)))).toMatchObject({
    code: 'unreadable',
    message: 'streamSync sent an event of more than 1 MiB, the most that is read',
  });
  await server.disconnected;
  expect(server.bytesSent()).toBeLessThan(MiB + IN_SOCKETS);
});

test('an answer that comes to a halt is given up when its time is over', async () => {
  const { server, clock, client } = await openEndless({ begin: '{"data":', chunk: '' });

  const asked = rejection(client.companies.removeCertificate(1));
  await server.responding;
  clock.advance(1_000);

  expect(await asked).toMatchObject({
    code: 'timed-out',
    message: 'removeCertificate timed out: no answer within 1000 ms',
  });
  await server.disconnected;
});
