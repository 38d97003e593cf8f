import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Verdict } from '../../src/event/stored-event.ts';
import { openFixture } from './store-fixture.ts';
import type { StoreKind } from './store-place.ts';

/** What can arrive: a content always has the same version, as its payload says it. */
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
/** Some senders give ids, some give none, and some give the same message another one at each try. */
const messageIds = fc.option(fc.constantFrom('m1', 'm2', 'm3', 'm4'), { nil: undefined });
const arrivals = fc.array(
  fc
    .tuple(records, messageIds)
    .map(([record, messageId]) => (messageId === undefined ? record : { ...record, messageId })),
  { maxLength: 25 },
);

/** The rules once more, as plainly as possible: a list, looked through from its end. */
function expected(history: readonly Arrival[]): { readonly stored: string[]; readonly answers: string[] } {
  const stored: Arrival[] = [];
  const answers: string[] = [];
  let latest: Arrival | undefined;
  let highest = '';
  for (const arrival of history) {
    const { messageId } = arrival;
    const message = messageId && stored.find((one) => one.messageId === messageId);
    const seen = stored.some(({ content }) => content === arrival.content);
    let answer: Verdict | 'duplicate' | 'conflict';
    if (message) answer = message.content === arrival.content ? 'duplicate' : 'conflict';
    else if (!seen) answer = arrival.version !== null && arrival.version < highest ? 'stale' : 'new';
    else if (arrival.content === latest?.content || arrival.version !== null) answer = 'duplicate';
    else answer = messageId === undefined ? 'ambiguous' : 'new';
    answers.push(answer);
    if (answer === 'duplicate' || answer === 'conflict') continue;
    stored.push(arrival);
    if (answer === 'stale') continue;
    latest = arrival;
    if (arrival.version !== null && arrival.version > highest) highest = arrival.version;
  }
  return { stored: stored.map(({ content }) => content), answers };
}

export function repeatProperty(kind: StoreKind): void {
  test('any sequence of repeats yields the verdicts of a reference implementation', async () => {
    const fixture = await openFixture(kind);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(arrivals, fc.boolean(), async (history, atOnce) => {
        // A source of its own is as good as a store of its own.
        const source = `run-${String((run += 1))}`;
        const send = (arrival: Arrival) => fixture.accept({ ...arrival, source });
        const acceptances = atOnce ? await Promise.all(history.map(send)) : await inSequence(history, send);

        const { stored, answers } = expected(history);
        const given = acceptances.map((one) => (one.status === 'stored' ? one.verdict : one.status));
        expect(given).toEqual(answers);

        const subject = { family: 'company', id: '1' };
        const log = await fixture.store.events({ source, subject }, { order: 'oldest', limit: 100 });
        const events = await fixture.store.storedEvents(log.map(({ id }) => id));
        expect(events.map(({ data }) => (data as { content: string }).content)).toEqual(stored);
        const repeats = events.reduce((sum, event) => sum + event.repeats, 0);
        expect(repeats).toBe(history.length - stored.length);
      }),
    );
  });
}

async function inSequence<A, B>(items: readonly A[], act: (item: A) => Promise<B>): Promise<B[]> {
  const results: B[] = [];
  for (const item of items) results.push(await act(item));
  return results;
}
