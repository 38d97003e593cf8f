/** Which events come before an event of the same subject. */
import type { EventRecord } from './stored-event.ts';
import { inVersionOrder } from './version-order.ts';

/** The fields of an event that decide its predecessor. */
export type ComparedEvent<Id extends string | number = string> = Pick<
  EventRecord,
  'source' | 'verdict' | 'version'
> & { readonly id: Id };

/**
 * Finds the earlier event of the same source to compare each event's payload with: the latest one at its
 * arrival, or for a stale event its predecessor in version order. The map has no entry where there is none.
 *
 * @param events a subject's events in arrival order
 */
export function predecessorsOf<Id extends string | number>(
  events: readonly ComparedEvent<Id>[],
): ReadonlyMap<Id, Id> {
  const predecessors = new Map<Id, Id>();
  const latest = new Map<string, Id>();
  for (const { id, source, verdict } of events) {
    if (verdict === 'stale') continue;
    const before = latest.get(source);
    if (before !== undefined) predecessors.set(id, before);
    latest.set(source, id);
  }
  for (const ofSource of Map.groupBy(events, ({ source }) => source).values())
    addStale(ofSource, predecessors);
  return predecessors;
}

/** A versioned event in a doubly linked list in version order. */
interface Link<Id extends string | number> {
  readonly event: ComparedEvent<Id>;
  readonly version: string;
  before: Link<Id> | undefined;
  after: Link<Id> | undefined;
}

/**
 * Links all events in version order, and removes them from the last arrival on. The event before a removed one
 * then arrived earlier. Each event costs the same, however many there are.
 */
function addStale<Id extends string | number>(
  arrived: readonly ComparedEvent<Id>[],
  predecessors: Map<Id, Id>,
): void {
  const links: Link<Id>[] = [];
  for (const event of arrived) {
    const { version } = event;
    if (version !== null) links.push({ event, version, before: undefined, after: undefined });
  }
  if (!links.some(({ event }) => event.verdict === 'stale')) return;
  let last: Link<Id> | undefined;
  for (const link of inVersionOrder(links)) {
    link.before = last;
    if (last !== undefined) last.after = link;
    last = link;
  }
  for (const { event, before, after } of links.toReversed()) {
    if (event.verdict === 'stale' && before !== undefined) predecessors.set(event.id, before.event.id);
    if (before !== undefined) before.after = after;
    if (after !== undefined) after.before = before;
  }
}
