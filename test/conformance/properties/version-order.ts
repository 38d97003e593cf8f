import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { highestVersion, inVersionOrder } from '../../../src/event/version-order.ts';
import { openFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const sketches = fc.array(
  fc.record({
    version: fc.option(fc.constantFrom('1', '2', '2', '3', '10')),
    kind: fc.constantFrom('company.created', 'company.updated'),
  }),
  { maxLength: 15 },
);

/** The store sorts a history by the same rule as the in-memory fold. */
export function versionOrderProperty(kind: StoreKind): void {
  test('reads a history in the order of the in-memory implementation', async () => {
    const fixture = await openFixture(kind);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(sketches, fc.boolean(), async (drawn, onlyUpdates) => {
        const id = String((run += 1));
        const subject = { family: 'company', id };
        for (const [at, sketch] of drawn.entries())
          await fixture.accept({ ...sketch, subject: `company:${id}`, content: `${id} ${String(at)}` });
        const kinds = onlyUpdates ? ['company.updated'] : undefined;
        const filter = { subject, ...(kinds && { kinds }) };
        const records = await fixture.store.events(filter, { order: 'oldest', limit: 100 });

        const found = await fixture.store.versionOrder({
          source: 'default',
          subject,
          ...(kinds && { kinds }),
        });

        const ids = Array.from(found.events, (number) => `${fixture.store.storeId}-${String(number)}`);
        expect(ids).toEqual(inVersionOrder(records).map((record) => record.id));
        expect(found.version).toBe(highestVersion(records));
      }),
      { numRuns: propertyRuns(40) },
    );
  });
}
