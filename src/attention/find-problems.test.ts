import { describe, expect, test } from 'vitest';
import { idleMonitoring, idleTotals } from '../../test/support/idle-store.ts';
import { createContract } from '../contract/contract.ts';
import { specification } from '../contract/specification.ts';
import type { MonitoringState } from '../store/monitoring.ts';
import type { Pause } from '../store/pauses.ts';
import type { StoreTotals } from '../store/queries.ts';
import { findUnmet, unknownExpectations } from './expectations.ts';
import { findCountedProblems } from './find-problems.ts';

const HOUR_MS = 3_600_000;
const now = Date.parse('2026-03-10T12:30:00Z');

const totals: StoreTotals = {
  ...idleTotals,
  byHandler: [{ handler: 'billing', pending: 3, running: 1, succeeded: 9, dead: 0, skipped: 2 }],
  oldestPendingAt: now - HOUR_MS,
};
const state: MonitoringState = { ...idleMonitoring, createdAt: now - 30 * 24 * HOUR_MS };

const found = (changed: Partial<StoreTotals>, recorded: Partial<MonitoringState> = {}) =>
  findCountedProblems({ ...totals, ...changed }, { ...state, ...recorded }, now, new Map());

describe('a problem', () => {
  test('is not found in ordinary operation', () => {
    expect(found({})).toEqual([]);
  });

  test('is the dead letters of each handler', () => {
    const counts = { pending: 0, running: 0, succeeded: 0, skipped: 0 };
    const byHandler = [
      { handler: 'billing', dead: 1, ...counts },
      { handler: 'forward', dead: 12, ...counts },
    ];
    expect(found({ byHandler })).toMatchObject([
      {
        problem: 'dead-letters',
        of: 'billing',
        summary: '1 delivery of handler billing has failed for good',
        remedy: expect.stringContaining('portaria deliveries retry --status dead --handler billing'),
      },
      { of: 'forward', summary: '12 deliveries of handler forward have failed for good' },
    ]);
  });

  test('says how many lanes wait behind the dead letters of a handler, and calls none of them paused', () => {
    const byHandler = [{ handler: 'billing', dead: 2, pending: 5, running: 0, succeeded: 0, skipped: 0 }];
    const held = (entity: string): Pause => ({
      ...{
        id: `p${entity}`,
        handler: 'billing',
        source: 'default',
        subject: { family: 'charge', id: entity },
      },
      ...{ reason: 'x', pausedBy: 'Portaria', pausedAt: now, until: null, acknowledgedAt: null },
      deadLetter: `d${entity}`,
    });
    const failed = '2 deliveries of handler billing have failed for good';
    expect(found({ byHandler, pauses: [held('1'), held('2')] })).toMatchObject([
      { problem: 'dead-letters', summary: `${failed}, and 2 lanes wait behind them` },
    ]);
    expect(found({ byHandler, pauses: [held('1')] })).toMatchObject([
      { problem: 'dead-letters', summary: `${failed}, and 1 lane waits behind one` },
    ]);
  });

  test('is a handler that has blocked the event loop, for an hour after the last time', () => {
    const stall = (handler: string | null, endedAt: number) => {
      const beganAt = endedAt - 30_000;
      return { cause: 'stalled', beganAt, endedAt, handler, refused: 0 } as const;
    };
    const outages = [
      stall('billing', now - 1),
      stall('billing', now - HOUR_MS + 1),
      stall('billing', now - HOUR_MS),
      stall('billing, forward', now - 2),
      stall(null, now - 3),
      { ...stall(null, now - 4), cause: 'store' } as const,
      stall('mail', now - HOUR_MS),
    ];
    expect(found({}, { outages })).toMatchObject([
      {
        problem: 'stalled',
        of: 'billing',
        summary:
          'handler billing has blocked the event loop 2 times within an hour, last at 2026-03-10 12:29:59Z: the watchdog ended the process',
        remedy: expect.stringMatching(
          /^`portaria handlers pause billing --reason "…"`, .* `portaria deliveries retry --status dead --handler billing`$/,
        ),
      },
      { of: 'billing, forward', summary: expect.stringMatching(/^one of the handlers billing, forward has/) },
      { of: null, summary: expect.stringMatching(/^code outside handlers has blocked/) },
    ]);
  });

  test('is no handler that has blocked the event loop and is paused, or of which nothing is left after ten minutes', () => {
    const stalled = (minutesAgo: number, handler = 'billing') => {
      const endedAt = now - minutesAgo * 60_000;
      return {
        outages: [{ cause: 'stalled', beganAt: endedAt - 30_000, endedAt, handler, refused: 0 } as const],
      };
    };
    const counts = { pending: 0, running: 0, succeeded: 9, dead: 0, skipped: 1 };
    const [done, dead] = [0, 1].map((left) => ({
      byHandler: [{ handler: 'billing', ...counts, dead: left }],
    }));
    const pause: Pause = {
      ...{ id: 'p1', handler: 'billing', source: null, subject: null, reason: 'x', pausedBy: 'ana' },
      ...{ pausedAt: now, until: null, acknowledgedAt: null, deadLetter: null },
    };
    const problems = (...of: Parameters<typeof found>) => found(...of).map(({ problem }) => problem);

    expect(problems({ pauses: [pause] }, stalled(1))).toEqual(['paused']);
    expect(problems({ pauses: [{ ...pause, source: 'default' }] }, stalled(1))).toEqual([
      'stalled',
      'paused',
    ]);
    expect(problems({ pauses: [pause] }, stalled(1, 'billing, forward'))).toEqual(['stalled', 'paused']);
    expect(problems(done ?? {}, stalled(9))).toEqual(['stalled']);
    expect(problems(done ?? {}, stalled(10))).toEqual([]);
    expect(problems(dead ?? {}, stalled(59))).toEqual(['stalled', 'dead-letters']);
  });

  test('is a body in quarantine', () => {
    expect(found({ quarantined: 1 })).toMatchObject([
      { problem: 'quarantine', of: null, summary: '1 body in quarantine is not handled' },
    ]);
  });

  test('is an open breaker, whose reason shows no personal data', () => {
    const openBreakers = [
      { handler: 'billing', since: now - HOUR_MS, until: now, reason: 'no such CPF 529.982.247-25' },
    ];
    expect(found({}, { openBreakers })).toMatchObject([
      {
        problem: 'open-breaker',
        of: 'billing',
        since: now - HOUR_MS,
        summary:
          'the breaker of handler billing has been open since 2026-03-10 11:30:00Z (1 h): no such CPF <cpf>',
      },
    ]);
  });

  test('is a delivery that waits for more than an hour', () => {
    expect(found({ oldestPendingAt: null })).toEqual([]);
    expect(found({ oldestPendingAt: now - HOUR_MS - 1 })).toMatchObject([
      { problem: 'oldest-pending', of: null, since: now - 1 },
    ]);
  });
});

describe('an expectation', () => {
  const received = [
    {
      source: 'default',
      kind: 'company.created',
      recognized: true,
      events: 1,
      firstReceivedAt: 0,
      lastReceivedAt: now - 5 * HOUR_MS,
    },
    {
      source: 'branch',
      kind: 'company.updated',
      recognized: true,
      events: 1,
      firstReceivedAt: 0,
      lastReceivedAt: now - 2 * HOUR_MS,
    },
  ];
  const unmet = (pattern: string, hours: number) =>
    findUnmet([{ pattern, withinMs: hours * HOUR_MS }], { ...state, received }, now);

  test('is met by any event of a matching kind, from any source', () => {
    expect(unmet('company.*', 2)).toEqual([]);
    expect(unmet('company.*', 1)).toMatchObject([
      {
        problem: 'overdue',
        of: 'company.*',
        since: now - HOUR_MS,
        summary:
          'the last event of company.* arrived at 2026-03-10 10:30:00Z (2 h), and one is expected within 1 h',
      },
    ]);
    expect(unmet('company.created', 4)).toHaveLength(1);
  });

  test('that never came counts since the store was created', () => {
    expect(unmet('charge.created', 24 * 30)).toEqual([]);
    expect(unmet('charge.created', 24 * 29)).toMatchObject([
      { summary: 'no event of charge.created has ever arrived, and one is expected within 29 d' },
    ]);
  });

  test('of no kind of the contract is reported, with a similar kind', () => {
    const expected = ['charge.created', 'charge.craeted', 'own.*'].map((pattern) => ({
      pattern,
      withinMs: 1,
    }));
    expect(unknownExpectations(expected, specification)).toEqual([
      'PORTARIA_EXPECT: charge.craeted matches no kind of the contract; did you mean charge.created?',
      'PORTARIA_EXPECT: own.* matches no kind of the contract',
    ]);
  });

  test('of a custom kind is not reported, and a misspelled one gets its name as a hint', () => {
    const [company] = specification.kinds;
    const contract = createContract([...specification.kinds, { ...company!, kind: 'company.archived' }]);
    const expected = ['company.archived', 'company.archivd'].map((pattern) => ({ pattern, withinMs: 1 }));
    expect(unknownExpectations(expected, contract)).toEqual([
      'PORTARIA_EXPECT: company.archivd matches no kind of the contract; did you mean company.archived?',
    ]);
  });
});
