import { expect, test } from 'vitest';
import { respond, failWith, rejection, scripted, silent } from './client-setup.ts';

const page = respond(200, { data: [], pagination: { page: 1, size: 25 }, total: 0 });
const busy = respond(503);
const slip = respond(201, { data: { id: 1, status: 'pending', due_date: '2026-03-31' } });

test('a GET is retried until it succeeds, with waits that double', async () => {
  const { client, finish, requests } = scripted([busy, failWith('ECONNRESET'), respond(500), page]);

  expect(await finish(client.users.list())).toMatchObject({ total: 0 });
  // Half of 500, 1000 and 2000 ms, because the random number is 0.5.
  expect(requests.map(({ at }) => at)).toEqual([0, 250, 750, 1750]);
});

test('a call that never succeeds fails with the last error', async () => {
  const { client, finish, requests } = scripted([busy, busy, failWith('ECONNRESET')], {
    retry: { attempts: 3 },
  });

  expect(await rejection(finish(client.users.list()))).toMatchObject({ code: 'unreachable' });
  expect(requests).toHaveLength(3);
});

test('each attempt has the whole time limit', async () => {
  const { client, finish, requests } = scripted([silent, page], { timeoutMs: 1_000 });

  await finish(client.users.list());

  expect(requests.map(({ at }) => at)).toEqual([0, 1_250]);
});

test('all attempts share a total time limit, and the last one gets the remaining time', async () => {
  const { client, finish, requests, clock } = scripted([silent, silent], {
    timeoutMs: 1_000,
    totalTimeoutMs: 2_000,
  });

  expect(await rejection(finish(client.users.list()))).toMatchObject({ code: 'timed-out' });

  expect(requests.map(({ at }) => at)).toEqual([0, 1_250]);
  expect(clock.monotonic()).toBe(2_000);
});

test('a wait that exceeds the remaining time is not started, and the call fails at once', async () => {
  const longBusy = respond(503, {}, { 'retry-after': '30' });
  const { client, finish, requests, clock } = scripted([longBusy]);

  expect(await rejection(finish(client.users.list({}, { totalTimeoutMs: 20_000 })))).toMatchObject({
    code: 'provider-failed',
    retryAfterMs: 30_000,
  });

  expect([requests.length, clock.monotonic()]).toEqual([1, 0]);
});

test.each([400, 401, 403, 404, 409, 422, 501])('%i is final', async (status) => {
  const { client, finish, requests } = scripted([respond(status)]);

  expect(await rejection(finish(client.users.list()))).toMatchObject({ status });
  expect(requests).toHaveLength(1);
});

test('an unreadable success is not retried', async () => {
  const { client, finish, requests } = scripted([respond(200, '<html>')]);

  expect(await rejection(finish(client.users.list()))).toMatchObject({ code: 'unreadable' });
  expect(requests).toHaveLength(1);
});

test('the wait is Retry-After, in seconds or as a date, plus the jitter', async () => {
  const { client, finish, requests } = scripted([
    respond(429, {}, { 'retry-after': '7' }),
    respond(503, {}, { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }),
    page,
  ]);

  await finish(client.users.list());

  expect(requests.map(({ at }) => at)).toEqual([0, 7_250, 30_500]);
});

test('a call with a Retry-After of more than a minute fails, and the caller decides', async () => {
  const { client, finish, requests } = scripted([respond(429, {}, { 'retry-after': '3600' })]);

  expect(await rejection(finish(client.users.list()))).toMatchObject({
    code: 'rate-limited',
    retryAfterMs: 3_600_000,
  });
  expect(requests).toHaveLength(1);
});

test.each([
  ['a server error', busy],
  ['a broken connection', failWith('ECONNRESET')],
  ['a timeout', silent],
])('POST and DELETE are not retried after %s', async (_, reaction) => {
  const post = scripted([reaction]);
  const remove = scripted([reaction]);

  await rejection(post.finish(post.client.charges.paymentSlips.request(1)));
  await rejection(remove.finish(remove.client.users.remove(1)));

  expect([post.requests.length, remove.requests.length]).toEqual([1, 1]);
});

test.each([
  ['a rate limit', respond(429)],
  ['a refused connection', failWith('ECONNREFUSED')],
  ['an unknown host name', failWith('ENOTFOUND')],
  ['a connection timeout', failWith('UND_ERR_CONNECT_TIMEOUT')],
])('POST is retried after %s, because the provider did not start', async (_, reaction) => {
  const { client, finish, requests } = scripted([reaction, slip]);

  expect(await finish(client.charges.paymentSlips.request(1))).toMatchObject({ id: 1 });
  expect(requests).toHaveLength(2);
});

test('a PUT is retried, because it is idempotent', async () => {
  const { client, finish, requests } = scripted([
    busy,
    respond(200, { data: { id: 1, name: 'B', status: 'active' } }),
  ]);

  await finish(client.users.update(1, { name: 'B' }));

  expect(requests.map(({ init }) => [init.method, init.body])).toEqual([
    ['PUT', '{"name":"B"}'],
    ['PUT', '{"name":"B"}'],
  ]);
});

test('a signal ends the wait between two attempts', async () => {
  const controller = new AbortController();
  const { client, requests, clock } = scripted([busy]);
  const running = rejection(client.users.list({}, { signal: controller.signal }));
  while (requests.length === 0 || clock.untilNext !== 250) await new Promise(setImmediate);

  controller.abort();

  expect(await running).toMatchObject({ name: 'AbortError' });
  expect(requests).toHaveLength(1);
  expect(clock.untilNext).toBeNull();
});
