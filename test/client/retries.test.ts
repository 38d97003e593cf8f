import { expect, test } from 'vitest';
import { answer, failing, rejection, scripted, silent } from './client-world.ts';

const page = answer(200, { data: [], pagination: { page: 1, size: 25 }, total: 0 });
const busy = answer(503);
const slip = answer(201, { data: { id: 1, status: 'pending', due_date: '2026-03-31' } });

test('a question is asked again, with waits that double, until it is answered', async () => {
  const { client, finish, requests } = scripted([busy, failing('ECONNRESET'), answer(500), page]);

  expect(await finish(client.users.list())).toMatchObject({ total: 0 });
  // Half of 500, 1000 and 2000 ms: what is drawn is a half.
  expect(requests.map(({ at }) => at)).toEqual([0, 250, 750, 1750]);
});

test('what never gets better ends with the last failure', async () => {
  const { client, finish, requests } = scripted([busy, busy, failing('ECONNRESET')], {
    retry: { attempts: 3 },
  });

  expect(await rejection(finish(client.users.list()))).toMatchObject({ code: 'unreachable' });
  expect(requests).toHaveLength(3);
});

test('each try has the whole time limit', async () => {
  const { client, finish, requests } = scripted([silent, page], { timeoutMs: 1_000 });

  await finish(client.users.list());

  expect(requests.map(({ at }) => at)).toEqual([0, 1_250]);
});

test('all tries together have a time limit, and the last of them what is left of it', async () => {
  const { client, finish, requests, clock } = scripted([silent, silent], {
    timeoutMs: 1_000,
    totalTimeoutMs: 2_000,
  });

  expect(await rejection(finish(client.users.list()))).toMatchObject({ code: 'timed-out' });

  expect(requests.map(({ at }) => at)).toEqual([0, 1_250]);
  expect(clock.monotonic()).toBe(2_000);
});

test('a wait that is longer than the time left is not begun: the failure is told at once', async () => {
  const busyForLong = answer(503, {}, { 'retry-after': '30' });
  const { client, finish, requests, clock } = scripted([busyForLong]);

  expect(await rejection(finish(client.users.list({}, { totalTimeoutMs: 20_000 })))).toMatchObject({
    code: 'provider-failed',
    retryAfterMs: 30_000,
  });

  expect([requests.length, clock.monotonic()]).toEqual([1, 0]);
});

test.each([400, 401, 403, 404, 409, 422, 501])('%i is final', async (status) => {
  const { client, finish, requests } = scripted([answer(status)]);

  expect(await rejection(finish(client.users.list()))).toMatchObject({ status });
  expect(requests).toHaveLength(1);
});

test('an unreadable success is final', async () => {
  const { client, finish, requests } = scripted([answer(200, '<html>')]);

  expect(await rejection(finish(client.users.list()))).toMatchObject({ code: 'unreadable' });
  expect(requests).toHaveLength(1);
});

test('Retry-After is waited for, in seconds or as a date, with the jitter on top', async () => {
  const { client, finish, requests } = scripted([
    answer(429, {}, { 'retry-after': '7' }),
    answer(503, {}, { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }),
    page,
  ]);

  await finish(client.users.list());

  expect(requests.map(({ at }) => at)).toEqual([0, 7_250, 30_500]);
});

test('a Retry-After of more than a minute is left to the caller', async () => {
  const { client, finish, requests } = scripted([answer(429, {}, { 'retry-after': '3600' })]);

  expect(await rejection(finish(client.users.list()))).toMatchObject({
    code: 'rate-limited',
    retryAfterMs: 3_600_000,
  });
  expect(requests).toHaveLength(1);
});

test.each([
  ['a server failure', busy],
  ['a connection that broke', failing('ECONNRESET')],
  ['silence', silent],
])('after %s nothing is requested or deleted a second time', async (_, reaction) => {
  const post = scripted([reaction]);
  const remove = scripted([reaction]);

  await rejection(post.finish(post.client.charges.requestSlip(1)));
  await rejection(remove.finish(remove.client.users.remove(1)));

  expect([post.requests.length, remove.requests.length]).toEqual([1, 1]);
});

test.each([
  ['it was refused for coming too often', answer(429)],
  ['it was never connected', failing('ECONNREFUSED')],
  ['the name had no address', failing('ENOTFOUND')],
  ['the connection was not made in time', failing('UND_ERR_CONNECT_TIMEOUT')],
])('a request is made again when %s: nothing can have begun', async (_, reaction) => {
  const { client, finish, requests } = scripted([reaction, slip]);

  expect(await finish(client.charges.requestSlip(1))).toMatchObject({ id: 1 });
  expect(requests).toHaveLength(2);
});

test('fields are set again: they are the same afterwards', async () => {
  const { client, finish, requests } = scripted([
    busy,
    answer(200, { data: { id: 1, name: 'B', status: 'active' } }),
  ]);

  await finish(client.users.update(1, { name: 'B' }));

  expect(requests.map(({ init }) => [init.method, init.body])).toEqual([
    ['PUT', '{"name":"B"}'],
    ['PUT', '{"name":"B"}'],
  ]);
});

test('a signal ends the wait between two tries', async () => {
  const controller = new AbortController();
  const { client, requests, clock } = scripted([busy]);
  const running = rejection(client.users.list({}, { signal: controller.signal }));
  while (requests.length === 0 || clock.untilNext !== 250) await new Promise(setImmediate);

  controller.abort();

  expect(await running).toMatchObject({ name: 'AbortError' });
  expect(requests).toHaveLength(1);
  expect(clock.untilNext).toBeNull();
});
