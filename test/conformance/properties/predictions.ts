import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openFixture } from '../store-fixture.ts';
import { undecidedEvent, type EventSketch } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';

/** Events of two subjects; the same content always has the same version. */
const sketches = fc
  .tuple(
    fc.constantFrom('company:1', 'company:2'),
    fc.constantFrom(
      { content: 'a', version: '1' },
      { content: 'b', version: '2' },
      { content: 'c', version: '3' },
      { content: 'd', version: null },
      { content: 'e', version: null, recognized: false },
    ),
    fc.option(fc.constantFrom('m1', 'm2', 'm3'), { nil: undefined }),
  )
  .map(([subject, content, messageId]) => ({ subject, ...content, ...(messageId && { messageId }) }));
const histories = fc.tuple(fc.array(sketches, { maxLength: 6 }), fc.array(sketches, { maxLength: 8 }));

/** What a store predicts of events that it has not accepted. */
export function predictionProperty(kind: StoreKind): void {
  test('predicted verdicts are those of accepting the events one after the other, and nothing is stored', async () => {
    const fixture = await openFixture(kind);
    const { store } = fixture;
    let run = 0;
    await fc.assert(
      fc.asyncProperty(histories, async ([before, after]) => {
        // A separate source for each run takes the place of a separate store.
        const source = `run-${String((run += 1))}`;
        const accept = async (sketch: EventSketch): Promise<string> => {
          const accepted = await fixture.accept({ ...sketch, source });
          return accepted.status === 'stored' ? accepted.verdict : accepted.status;
        };
        for (const sketch of before) await accept(sketch);
        const { events } = await store.statistics();
        const predicted = await store.predictVerdicts(
          after.map((sketch) => undecidedEvent({ ...sketch, source })),
        );
        expect((await store.statistics()).events).toBe(events);
        const actual: string[] = [];
        for (const sketch of after) actual.push(await accept(sketch));
        expect(predicted).toEqual(actual);
      }),
      { numRuns: 30 },
    );
  });
}
