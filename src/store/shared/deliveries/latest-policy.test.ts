import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import type { LaneHead } from './claim-policy.ts';
import { beginLatestClaim, type WaitingDelivery } from './latest-policy.ts';

const waiting = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 9 }),
    version: fc.constantFrom(null, null, '1', '2'),
    received_at: fc.integer({ min: 1, max: 4 }),
    released: fc.constantFrom(0, 1),
  }),
  { selector: ({ id }) => id, minLength: 2, maxLength: 6 },
);

type Drawn = typeof waiting extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

/** The delivery that a claim starts of those that wait, and those that it skips. */
function claimed(drawn: readonly Drawn[]) {
  const lane: readonly WaitingDelivery[] = drawn
    .map((each) => ({ ...each, event_id: each.id, ambiguous: 0, kept: 0 }))
    .toSorted((one, other) => other.id - one.id);
  const due = { handler: 'index', delivery_id: Math.min(...drawn.map(({ id }) => id)) } as LaneHead;
  const request = {
    now: 9,
    limit: 1,
    handlers: [],
    latest: [{ handler: 'index', quietMs: 0, maxWaitMs: 0 }],
  };
  const [change] = beginLatestClaim(request, { event: String }).changesOf([due], () => lane);
  return { starts: change?.head?.id ?? due.delivery_id, skipped: change?.superseded ?? [] };
}

/** Of two: by version, else by arrival; the time of a release is that of its arrival in quarantine. */
function isNewer(one: Drawn, other: Drawn): boolean {
  if (one.version !== null && other.version !== null && one.version !== other.version)
    return one.version > other.version;
  const isReleased = (one.id > other.id ? one : other).released === 1;
  if (isReleased && one.received_at !== other.received_at) return one.received_at > other.received_at;
  return one.id > other.id;
}

it('starts one, and skips all others, whatever clocks, versions and releases say', () => {
  fc.assert(
    fc.property(waiting, (drawn) => {
      const { starts, skipped } = claimed(drawn);
      const ids = drawn.map(({ id }) => id).toSorted();
      expect([starts, ...skipped].toSorted()).toEqual(ids);
      const [one, other] = drawn;
      if (one === undefined || other === undefined) return;
      expect(claimed([one, other]).starts).toBe((isNewer(one, other) ? one : other).id);
    }),
    { numRuns: propertyRuns(2_000) },
  );
});
