import { setImmediate as nextTick } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { TelemetryEvents } from '../telemetry/telemetry.ts';
import { manualClock, type ManualClock } from '../testing/manual-clock.ts';
import type { Observation } from './observe.ts';
import { createOperationSignals, type OperationSignals } from './operation-signals.ts';
import type { OperatorProblem } from './problem.ts';
import { createAlertSender } from './send-alerts.ts';
import { watchOperation, type OperationWatch } from './watch-operation.ts';

const secret = `whsec_${Buffer.alloc(24, 'portaria').toString('base64')}`;
const MINUTE_MS = 60_000;

const dead: OperatorProblem = {
  problem: 'dead-letters',
  of: 'billing',
  since: null,
  summary: '1 delivery of handler billing has failed for good',
  remedy: 'retry it',
};

interface Request {
  readonly body: string;
  readonly headers: Record<string, string>;
}

let clock: ManualClock;
let store: Store;
let problems: OperatorProblem[];
let atOnce: OperatorProblem[];
let openBreakers: { handler: string; untilMs: number; reason: string }[];
let requests: Request[];
let respond: (request: Request) => Response | Promise<Response>;
let reported: string[];
let signals: OperationSignals;

beforeEach(async () => {
  clock = manualClock(Date.now());
  store = await openSqliteStore({ path: ':memory:', role: 'owner', clock, random: () => 0 });
  onTestFinished(() => store.close());
  problems = [];
  atOnce = [];
  openBreakers = [];
  requests = [];
  respond = () => new Response(null, { status: 204 });
  reported = [];
  leads = true;
});

/** Whether the process does periodic work. */
let leads = true;

/** Starts a process on the store. */
function start(alertUrl: string | null = 'https://pager.example/hook?team=fleet'): OperationWatch {
  signals = createOperationSignals(clock);
  const telemetry = {
    emit: (name: keyof TelemetryEvents) => void reported.push(name),
  };
  const fetch = (_url: string, { body, headers }: RequestInit) => {
    const request = { body: body as string, headers: headers as Record<string, string> };
    requests.push(request);
    return Promise.resolve(respond(request));
  };
  const watch = watchOperation({
    store,
    clock,
    telemetry,
    signals,
    observe: (): Promise<Observation> => Promise.resolve({ problems, quiet: [] }),
    openBreakers: () => openBreakers,
    leads: () => leads,
    storeWatch: {
      start: () => undefined,
      stop: () => Promise.resolve(),
      problems: () => atOnce,
    },
    alerts:
      alertUrl === null
        ? null
        : createAlertSender({
            target: { url: alertUrl, secret },
            store,
            clock,
            random: () => 0.5,
            telemetry,
            fetch,
          }),
  });
  onTestFinished(() => watch.stop());
  watch.start();
  return watch;
}

/** Lets everything happen that is due within this time. */
async function pass(ms: number): Promise<void> {
  await settle();
  clock.advance(ms);
  await settle();
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await nextTick();
}

const messages = () =>
  requests.map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> });

test('only the process that leads reports a problem; another one begins when it leads', async () => {
  leads = false;
  start();
  problems = [dead];
  await pass(5_000);
  await pass(MINUTE_MS);
  expect([requests.length, (await store.monitoring()).problems.length]).toEqual([0, 0]);

  leads = true;
  await pass(MINUTE_MS);
  await pass(MINUTE_MS);
  expect([requests.length, (await store.monitoring()).problems.length]).toEqual([1, 1]);
});

test('one signed message tells when a problem begins, and one when it ends', async () => {
  start();
  problems = [dead];
  await pass(5_000);
  await pass(MINUTE_MS);
  expect(requests).toHaveLength(1);
  const [first] = requests;
  expect(first?.headers['webhook-id']).toBe(`${store.storeId}-a1`);
  expect(new Webhook(secret, {}).verify(first?.body ?? '', first?.headers ?? {})).toEqual({
    type: 'portaria.problem.began',
    timestamp: expect.any(String),
    data: {
      store_id: store.storeId,
      problem: 'dead-letters',
      of: 'billing',
      since: expect.any(String),
      summary: dead.summary,
      remedy: dead.remedy,
    },
  });

  problems = [];
  await pass(MINUTE_MS);
  expect(requests).toHaveLength(1);
  await pass(MINUTE_MS);
  expect(messages().map(({ type }) => type)).toEqual(['portaria.problem.began', 'portaria.problem.ended']);
  expect(requests[1]?.headers['webhook-id']).toBe(`${store.storeId}-a2`);
  expect(reported.filter((name) => name.startsWith('problem.'))).toEqual(['problem.began', 'problem.ended']);
});

test('a restart neither loses nor doubles a message', async () => {
  respond = () => new Response(null, { status: 503 });
  const first = start();
  problems = [dead];
  await pass(5_000);
  expect(requests).toHaveLength(1);
  await first.stop();
  requests = [];
  respond = () => new Response(null, { status: 200 });

  start();
  await pass(5_000);
  await pass(10 * MINUTE_MS);

  expect(requests.map(({ headers }) => headers['webhook-id'])).toEqual([`${store.storeId}-a1`]);
  expect(messages()).toMatchObject([{ type: 'portaria.problem.began' }]);
});

test('a problem that ended while nobody watched is reported as ended', async () => {
  const first = start();
  problems = [dead];
  await pass(5_000);
  await first.stop();
  problems = [];

  start();
  await pass(5_000);
  await pass(MINUTE_MS);

  expect(messages().map(({ type }) => type)).toEqual(['portaria.problem.began', 'portaria.problem.ended']);
});

test('a failed message is sent again, later and later, with the same id, before the next one', async () => {
  respond = () => new Response(null, { status: 500 });
  start();
  problems = [dead, { ...dead, of: 'forward' }];
  await pass(5_000);
  for (const waitMs of [1_000, 2_000, 4_000]) {
    const before = requests.length;
    await pass(waitMs - 1);
    expect(requests).toHaveLength(before);
    await pass(1);
    expect(requests).toHaveLength(before + 1);
  }
  expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect((await store.nextAlert())?.lastError).toBe('pager.example responded with status 500');

  respond = () => new Response(null, { status: 200 });
  await pass(8_000);
  expect(messages().map(({ data }) => data['of'])).toEqual([
    ...Array.from({ length: 5 }, () => 'billing'),
    'forward',
  ]);
});

test.each([
  ['Retry-After', () => new Response(null, { status: 429, headers: { 'retry-after': '120' } }), 120_000],
  [
    'a redirect, which is not followed',
    () => new Response(null, { status: 302, headers: { location: 'http://other.example' } }),
    1_000,
  ],
  ['no response', () => Promise.reject(new Error('connect ECONNREFUSED')), 1_000],
])('after %s a message is sent again', async (_, response, waitMs) => {
  respond = response;
  start();
  problems = [dead];
  await pass(5_000);
  respond = () => new Response(null, { status: 200 });
  await pass(waitMs - 1);
  expect(requests).toHaveLength(1);
  await pass(1);
  expect(requests).toHaveLength(2);
});

test('without a target nothing is queued', async () => {
  start(null);
  problems = [dead];
  await pass(5_000);
  expect(await store.nextAlert()).toBeNull();
  expect((await store.monitoring()).problems).toMatchObject([{ key: 'dead-letters:billing' }]);
});

test('an open breaker is recorded at once, and forgotten when the process stops', async () => {
  const watch = start();
  await settle();
  openBreakers = [{ handler: 'billing', untilMs: clock.now() + 1_000, reason: 'down' }];
  signals.report('breaker.opened', { handler: 'billing', openMs: 1_000, reason: 'down' });
  await pass(0);
  expect((await store.monitoring()).openBreakers).toMatchObject([{ handler: 'billing', reason: 'down' }]);

  await watch.stop();
  expect((await store.monitoring()).openBreakers).toEqual([]);
});

test('the reason of a recorded breaker names no person, so that an erasure finds nothing to erase', async () => {
  start();
  const reason = 'no account of 123.456.789-09 (ana@example.com)';
  openBreakers = [{ handler: 'billing', untilMs: clock.now() + 1_000, reason }];
  signals.report('breaker.opened', { handler: 'billing', openMs: 1_000, reason });
  await pass(0);
  expect((await store.monitoring()).openBreakers).toMatchObject([
    { reason: 'no account of <cpf> (<email>)' },
  ]);
});

test('failed verifications and mistyped addresses are counted by source and hour, with the most frequent reason, and written once a minute', async () => {
  start();
  const hour = Math.floor(clock.now() / 3_600_000);
  const response = { result: 'not-verified', kind: null, id: null, bytes: 1, durationMs: 1 };
  const reject = (reason: string, clockSeconds: number | null) =>
    signals.report('webhook.responded', {
      ...response,
      ...{ source: 'default', status: 401, notVerified: { reason, detail: reason, clockSeconds } },
    });
  for (let count = 0; count < 1_000; count += 1) reject('too-old', 412);
  // Anybody may send one.
  reject('missing', null);
  const mistyped = { ...response, source: 'unknown', status: 404, result: 'unknown-path' };
  signals.report('webhook.responded', { ...mistyped, path: '/webhook/12345678909' });
  signals.report('webhook.responded', { ...mistyped, path: '/favicon.ico', method: 'GET' });
  for (let made = 0; made < 30; made += 1)
    signals.report('webhook.responded', { ...mistyped, path: `/scan/${String(made)}` });
  await pass(5_000);
  const { rejections } = await store.monitoring();
  // Anybody may invent paths.
  expect(rejections).toHaveLength(22);
  expect(rejections.filter(({ source }) => !source.startsWith('/scan'))).toEqual([
    {
      ...{ source: '/webhook/<cpf>', hour, rejections: 1 },
      ...{ lastReason: 'unknown-path', clockSeconds: null },
    },
    {
      ...{ source: 'default', hour, rejections: 1_001 },
      ...{ lastReason: 'too-old', clockSeconds: 412 },
    },
    {
      ...{ source: 'unknown', hour, rejections: 11 },
      ...{ lastReason: 'unknown-path', clockSeconds: null },
    },
  ]);
});

test('a check that fails is repeated a minute later', async () => {
  const broken = new Error('disk');
  const { uncountedArrivals } = store;
  store.uncountedArrivals = () => Promise.reject(broken);
  const watch = start();
  problems = [dead];
  await pass(5_000);
  expect(reported).toContain('watch.failed');
  expect(watch.latest()).toEqual({ problems: [], quiet: [] });
  atOnce = [{ ...dead, problem: 'disk-low', of: null }];
  expect(watch.latest().problems).toEqual(atOnce);

  store.uncountedArrivals = uncountedArrivals;
  await pass(MINUTE_MS);
  expect(watch.latest()).toEqual({ problems: [...atOnce, dead], quiet: [] });
});

test('an alert sender does not start with a secret that cannot sign', () => {
  const target = { url: 'https://pager.example/hook', secret: '' };
  const telemetry = { emit: () => undefined };
  const create = () => createAlertSender({ target, store, clock, random: () => 0.5, telemetry, fetch });
  expect(create).toThrow(expect.objectContaining({ code: 'misconfigured' }) as Error);
  expect(create).toThrow(/settings are not valid/u);
});
