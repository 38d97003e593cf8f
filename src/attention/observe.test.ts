import { beforeEach, expect, test } from 'vitest';
import { idleMonitoring, idleTotals } from '../../test/support/idle-store.ts';
import type { HourlyCount, MonitoringState, ServerMove } from '../store/monitoring.ts';
import type { StoreTotals } from '../store/queries.ts';
import { manualClock, type ManualClock } from '../testing/manual-clock.ts';
import { createObserve, type Observe } from './observe.ts';
import type { ProviderFinding } from './silence/judge-silence.ts';

const HOUR_MS = 3_600_000;
const start = Date.UTC(2026, 2, 1);
const hours = 5 * 7 * 24;

let clock: ManualClock;
let reads: number;
let questions: { kind: string | null; since: number }[];
let finding: ProviderFinding;

/** Ten events an hour for five weeks, and none for twelve hours since. */
function observing(
  source = 'default',
  options: {
    asks?: boolean;
    sources?: string[];
    registered?: string[] | null;
    move?: ServerMove;
    byHandler?: StoreTotals['byHandler'];
    known?: 'handler' | 'kind';
  } = {},
): Observe {
  const counts: HourlyCount[] = Array.from({ length: hours }, (_, at) => ({
    source,
    kind: 'charge.updated',
    hour: start / HOUR_MS + at,
    events: 10,
  }));
  const totals: StoreTotals = {
    ...idleTotals,
    quarantined: 2,
    byHandler: options.byHandler ?? [
      { handler: 'gone', pending: 2, running: 0, succeeded: 0, dead: 0, skipped: 0 },
    ],
  };
  const state: MonitoringState = {
    ...idleMonitoring,
    createdAt: start,
    received: [
      {
        source,
        kind: 'charge.updated',
        recognized: true,
        events: 10 * hours,
        firstReceivedAt: start,
        lastReceivedAt: start + hours * HOUR_MS,
      },
    ],
    problems: [{ key: 'quarantine', beganAt: 77, report: '{}' }],
  };
  return createObserve({
    clock,
    expectations: [],
    knows: () => false,
    ...(options.registered !== undefined && {
      deliveryNames: () => Promise.resolve(options.registered ?? null),
    }),
    sources: new Map((options.sources ?? ['default', 'branch']).map((name) => [name, {}])),
    askOf: (source) =>
      options.asks === false || source !== 'default'
        ? null
        : ({ kind, since }) => {
            questions.push({ kind, since });
            return Promise.resolve(finding);
          },
    store: {
      totals: () => Promise.resolve(totals),
      monitoring: () => Promise.resolve(state),
      serverMove: () => Promise.resolve(options.move ?? null),
      knownDefinitions: () =>
        Promise.resolve(
          options.known === undefined
            ? []
            : [{ type: options.known, name: 'mail', source: null, origin: '', hash: '1' }],
        ),
      hourlyCounts: () => {
        reads += 1;
        return Promise.resolve(counts);
      },
    },
  });
}

beforeEach(() => {
  clock = manualClock(start + (hours + 12) * HOUR_MS);
  reads = 0;
  questions = [];
  finding = { found: 'none', records: 3 };
});

const names = async (observe: Observe) => {
  const { problems, quiet } = await observe();
  return { problems: problems.map(({ problem }) => problem), quiet: quiet.map(({ of }) => of) };
};

test('deliveries of a handler that is not registered are a problem, once the handlers are known', async () => {
  expect((await names(observing('default', { registered: [] }))).problems).toEqual([
    'quarantine',
    'unregistered-handlers',
  ]);
  expect((await names(observing('default', { registered: ['gone'] }))).problems).toEqual(['quarantine']);
  expect((await names(observing('default', { registered: null }))).problems).toEqual([
    'no-process',
    'quarantine',
  ]);
});

test('a store that has moved to another server is the first problem', async () => {
  const observe = observing('default', { move: { differs: 'timeline', known: 1, here: 2 } });
  expect((await names(observe)).problems).toEqual(['moved-server', 'quarantine']);
});

test('a silence of which the provider knows no change is quiet; a change shows missed webhooks', async () => {
  expect(await names(observing())).toEqual({ problems: ['quarantine'], quiet: ['default'] });
  expect(questions).toEqual([{ kind: null, since: start + hours * HOUR_MS }]);
  finding = { found: 'change', subject: 'company:12', at: clock.now() - HOUR_MS };
  expect(await names(observing())).toEqual({ problems: ['missed-webhooks', 'quarantine'], quiet: [] });
});

test('a silence without an API, or of another source than the one of its key, is a silence', async () => {
  expect((await names(observing('default', { asks: false }))).problems).toEqual(['silence', 'quarantine']);
  expect((await names(observing('branch'))).problems).toEqual(['silence', 'quarantine']);
  expect(questions).toEqual([]);
});

test('a source that is no longer configured may be silent', async () => {
  expect((await names(observing('branch', { sources: ['default'] }))).problems).toEqual(['quarantine']);
});

test('the provider is asked every quarter of an hour, and the history is read once an hour', async () => {
  const observe = observing();
  for (let minute = 0; minute < 60; minute += 1) {
    await observe();
    clock.advance(60_000);
  }
  expect(questions).toHaveLength(4);
  expect(reads).toBe(1);
  await observe();
  expect(reads).toBe(2);
});

test('a problem has the time when it was first recorded', async () => {
  const { problems } = await observing()();
  expect(problems).toMatchObject([{ problem: 'quarantine', since: 77 }]);
});

test('a store with handlers and without a living process needs attention', async () => {
  const found = async (registered?: string[] | null, other: Parameters<typeof observing>[1] = {}) =>
    (
      await observing('default', { ...other, ...(registered !== undefined && { registered }) })()
    ).problems.filter(({ problem }) => problem === 'no-process');
  expect(await found(null)).toMatchObject([
    { of: null, summary: expect.stringContaining('2 deliveries wait') as string },
  ]);
  expect(await found(['gone'])).toEqual([]);
  expect(await found(), 'nothing is known').toEqual([]);
  const empty = { byHandler: [] };
  expect(await found(null, { ...empty, known: 'kind' }), 'a copy for reading').toEqual([]);
  expect(await found(null, { ...empty, known: 'handler' }), 'none has had a delivery yet').toHaveLength(1);
});
