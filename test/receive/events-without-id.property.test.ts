import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createIdentify } from '../../src/identify/identify.ts';
import { parsedEvent } from '../support/verified-delivery.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { specification } from '../../src/contract/specification.ts';
import { propertyRuns } from '../support/property-runs.ts';

const identify = createIdentify(specification, (id) => id);

const clock = manualClock();

/** Events of kinds outside the contract, without an id. */
const arrivals = fc.array(
  fc.record({
    type: fc.constantFrom('ping', 'fleet.noticed', 'fleet.seen'),
    data: fc.constantFrom<unknown>({}, { at: 1 }, { at: 2 }, null, [7]),
    messageId: fc.option(fc.constantFrom('m1', 'm2', 'm3'), { nil: null }),
  }),
  { maxLength: 30 },
);
type Arrival = typeof arrivals extends fc.Arbitrary<readonly (infer T)[]> ? T : never;

function identified({ type, data, messageId }: Arrival) {
  return identify(parsedEvent(JSON.stringify({ type, data }), { messageId, messageIdTrusted: true }));
}

/** The status of each: the same content, or the same message id, is a repeat. */
function expected(all: readonly Arrival[]): readonly string[] {
  const first = new Map<string, string>();
  return all.map(({ type, data, messageId }) => {
    const content = JSON.stringify({ type, data });
    const key = messageId ?? content;
    const before = first.get(key);
    if (before === undefined) first.set(key, content);
    return before === undefined ? 'stored' : before === content ? 'duplicate' : 'conflict';
  });
}

test('events without an id share no lane and no history, and their repeats are recognised', async () => {
  await fc.assert(
    fc.asyncProperty(arrivals, async (all) => {
      const store = await openSqliteStore({ path: ':memory:', role: 'owner', clock });
      try {
        const routes = [{ handler: 'anyone', order: 'subject', stale: false }] as const;
        const statuses: string[] = [];
        for (const arrival of all) statuses.push((await store.accept(identified(arrival), routes)).status);
        expect(statuses).toEqual(expected(all));

        const stored = statuses.filter((status) => status === 'stored').length;
        expect((await store.statistics()).subjects).toBe(stored);
        const claim = await store.claim({ now: clock.now(), limit: 100, handlers: ['anyone'] });
        expect(claim.deliveries).toHaveLength(stored);
      } finally {
        await store.close();
      }
    }),
    { numRuns: propertyRuns(100) },
  );
});
