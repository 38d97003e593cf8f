import { expect, test } from 'vitest';
import type { OperatorProblem } from './problem.ts';
import { createProblemTracker } from './track-problems.ts';

const dead: OperatorProblem = {
  problem: 'dead-letters',
  of: 'billing',
  since: null,
  summary: '1 delivery of handler billing has failed for good',
  remedy: 'retry it',
};
const names = (changes: ReturnType<ReturnType<typeof createProblemTracker>['compare']>) => ({
  begun: changes.begun.map(({ problem, beganAt }) => [problem.of, beganAt]),
  ended: changes.ended.map(({ problem }) => problem.of),
});

test('a problem begins once, also when its sentence changes', () => {
  const tracker = createProblemTracker();
  const first = tracker.compare([dead], 5);
  expect(names(first)).toEqual({ begun: [['billing', 5]], ended: [] });
  tracker.confirm(first);
  const more = { ...dead, summary: '2 deliveries of handler billing have failed for good' };
  expect(names(tracker.compare([more], 6))).toEqual({ begun: [], ended: [] });
});

test('a problem begins at the time that it knows itself', () => {
  const changes = createProblemTracker().compare([{ ...dead, since: 2 }], 5);
  expect(names(changes).begun).toEqual([['billing', 2]]);
});

test('a problem ends when two checks in a row do not find it', () => {
  const tracker = createProblemTracker([{ problem: dead, beganAt: 1 }]);
  expect(names(tracker.compare([], 2)).ended).toEqual([]);
  expect(names(tracker.compare([dead], 3))).toEqual({ begun: [], ended: [] });
  expect(names(tracker.compare([], 4)).ended).toEqual([]);
  const last = tracker.compare([], 5);
  expect(names(last).ended).toEqual(['billing']);
  tracker.confirm(last);
  expect(names(tracker.compare([], 6)).ended).toEqual([]);
  expect(names(tracker.compare([dead], 7)).begun).toEqual([['billing', 7]]);
});

test('changes that could not be recorded return at the next check', () => {
  const tracker = createProblemTracker();
  tracker.compare([dead], 1);
  expect(names(tracker.compare([dead], 2)).begun).toEqual([['billing', 2]]);
});

test('the summary of a problem that has ended is in the past, with its period', () => {
  const since = Date.parse('2026-11-21T04:00:12Z');
  const breaker: OperatorProblem = {
    problem: 'open-breaker',
    of: 'forward',
    since,
    summary: 'the breaker of handler forward has been open since 2026-11-21 04:00:12Z (0 min): status 503',
    remedy: 'repair it',
  };
  const rejections: OperatorProblem = {
    ...breaker,
    problem: 'rejections',
    of: 'default',
    summary: '12 failed',
  };
  const tracker = createProblemTracker();
  tracker.confirm(tracker.compare([breaker, rejections], since));
  tracker.compare([], since + 60_000);
  const { ended } = tracker.compare([], since + 120_000);
  expect(ended.map(({ problem }) => problem.summary)).toEqual([
    'the breaker of handler forward is closed again; it was open from 2026-11-21 04:00:12Z to 2026-11-21 04:02:12Z',
    'over; it lasted from 2026-11-21 04:00:12Z to 2026-11-21 04:02:12Z: 12 failed',
  ]);
});
