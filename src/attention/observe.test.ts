import { beforeEach, describe, expect, test } from 'vitest';
import { idleMonitoring, idleTotals } from '../../test/support/idle-store.ts';
import type { HourlyCount, MonitoringState, RecordedLook, ServerMove } from '../store/monitoring.ts';
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
    looks?: readonly RecordedLook[];
    /** When the oldest process started. */
    startedAt?: number;
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
    looks: options.looks ?? [],
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
    ownLooks:
      options.looks === undefined
        ? null
        : { everyMs: HOUR_MS, families: new Map([['default', ['charge', 'company']]]) },
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
      runningProcesses: () =>
        Promise.resolve([
          {
            host: '',
            pid: 1,
            version: '',
            seenAt: null,
            leads: true,
            inFlight: 0,
            startedAt: options.startedAt ?? start,
          },
        ]),
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

describe('what the last looks at the provider say', () => {
  const look = (family: string, hoursAgo: number, outcome?: string, since = start): RecordedLook => ({
    ...{ source: 'default', family, equal: 4, at: clock.now() - hoursAgo * HOUR_MS, wholeAt: start },
    differing: outcome === undefined ? {} : { [outcome]: 2 },
    differences: outcome === undefined ? [] : [{ id: '7', outcome, fields: [], since, quarantined: null }],
  });

  test('of a silence: quiet when nothing was missed, deaf when something was, and neither is asked', async () => {
    const observe = observing('default', { looks: [look('charge', 1), look('company', 1)] });
    const { quiet } = await observe();
    expect(quiet[0]?.summary).toContain('nothing happened at the provider: none of its 8 records was missed');
    const missed = [look('charge', 1, 'missed', clock.now() - 5 * HOUR_MS), look('company', 1)];
    const { problems } = await observing('default', { looks: missed })();
    expect(problems.map(({ problem }) => problem)).toEqual(['missed-webhooks', 'quarantine', 'drift']);
    expect(problems[0]?.facts).toMatchObject({ subject: 'charge:7' });
    expect(questions).toEqual([]);
  });

  test('a look from before the silence says nothing of it: the provider is asked', async () => {
    await observing('default', { looks: [look('charge', 13), look('company', 1)] })();
    expect(questions).toHaveLength(1);
  });

  test('drift is what no webhook told of in time, and late is what was not looked at for too long', async () => {
    const found = async (looks: readonly RecordedLook[], startedAt = start) =>
      (await observing('default', { looks, startedAt })()).problems
        .filter(({ problem }) => problem === 'drift' || problem === 'reconcile-late')
        .map(({ problem, of, facts }) => [problem, of, facts]);
    const fresh = look('company', 1);
    expect(await found([fresh, look('charge', 1, 'behind')])).toMatchObject([
      ['drift', 'default/charge', { count: 2, outcomes: '2 behind' }],
    ]);
    expect(await found([fresh, look('charge', 1, 'withheld')])).toEqual([]);
    expect(await found([fresh, look('charge', 1, 'missed', clock.now() - HOUR_MS)])).toEqual([]);
    expect(await found([fresh, look('charge', 3)])).toMatchObject([
      ['reconcile-late', 'default', { families: ['charge'] }],
    ]);
    expect(await found([fresh], clock.now() - HOUR_MS), 'the process has just started').toEqual([]);
    expect(await found([fresh])).toMatchObject([['reconcile-late', 'default', { families: ['charge'] }]]);
  });
});
