import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Verdict } from '../../../src/event/stored-event.ts';
import { openFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** An arriving event: the same content always has the same version. */
interface Arrival {
  readonly content: string;
  readonly version: string | null;
  readonly messageId?: string;
}

const records = fc.constantFrom<Arrival>(
  { content: 'a', version: '1' },
  { content: 'b', version: '2' },
  { content: 'c', version: '2' },
  { content: 'd', version: '3' },
  { content: 'e', version: null },
  { content: 'f', version: null },
);
/** Senders with ids, without ids, and with a new id for each attempt. */
const messageIds = fc.option(fc.constantFrom('m1', 'm2', 'm3', 'm4'), { nil: undefined });
const arrivals = fc.array(
  fc
    .tuple(records, messageIds)
    .map(([record, messageId]) => (messageId === undefined ? record : { ...record, messageId })),
  { maxLength: 25 },
);

/** A reference implementation of the verdicts on a plain list. */
function expected(history: readonly Arrival[]): { readonly stored: string[]; readonly results: string[] } {
  const stored: Arrival[] = [];
  const results: string[] = [];
  let latest: Arrival | undefined;
  let highest = '';
  for (const arrival of history) {
    const { messageId } = arrival;
    const message = messageId && stored.find((one) => one.messageId === messageId);
    const seen = stored.some(({ content }) => content === arrival.content);
    let result: Verdict | 'duplicate' | 'conflict';
    if (message) result = message.content === arrival.content ? 'duplicate' : 'conflict';
    else if (!seen) result = arrival.version !== null && arrival.version < highest ? 'stale' : 'new';
    else if (arrival.content === latest?.content || arrival.version !== null) result = 'duplicate';
    else result = messageId === undefined ? 'ambiguous' : 'new';
    results.push(result);
    if (result === 'duplicate' || result === 'conflict') continue;
    stored.push(arrival);
    if (result === 'stale') continue;
    latest = arrival;
    if (arrival.version !== null && arrival.version > highest) highest = arrival.version;
  }
  return { stored: stored.map(({ content }) => content), results };
}

export function repeatProperty(kind: StoreKind): void {
  test('any sequence of repeats yields the verdicts of a reference implementation', async () => {
    const fixture = await openFixture(kind);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(arrivals, fc.boolean(), async (history, atOnce) => {
        // A separate source for each run takes the place of a separate store.
        const source = `run-${String((run += 1))}`;
        const send = (arrival: Arrival) => fixture.accept({ ...arrival, source });
        const acceptances = atOnce ? await Promise.all(history.map(send)) : await inSequence(history, send);

        const { stored, results } = expected(history);
        const received = acceptances.map((one) => (one.status === 'stored' ? one.verdict : one.status));
        expect(received).toEqual(results);

        const subject = { family: 'company', id: '1' };
        const log = await fixture.store.events({ source, subject }, { order: 'oldest', limit: 100 });
        const events = await fixture.store.storedEvents(log.map(({ id }) => id));
        expect(events.map(({ data }) => (data as { content: string }).content)).toEqual(stored);
        const repeats = events.reduce((sum, event) => sum + event.repeats, 0);
        expect(repeats).toBe(history.length - stored.length);
      }),
      { numRuns: propertyRuns(100) },
    );
  });
}

async function inSequence<A, B>(items: readonly A[], act: (item: A) => Promise<B>): Promise<B[]> {
  const results: B[] = [];
  for (const item of items) results.push(await act(item));
  return results;
}
