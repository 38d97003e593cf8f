import type { EventRecord } from './stored-event.ts';
import { inVersionOrder } from './version-order.ts';

/** What of an event tells which other one it is compared with. */
export type ComparedEvent<Id extends string | number = string> = Pick<
  EventRecord,
  'source' | 'verdict' | 'version'
> & { readonly id: Id };

/**
 * For each event of a subject, given in arrival order, the earlier one of its
 * source that its payload is best compared with: what was the latest until
 * then, and for a stale event the one it follows in version order. Left out
 * where there is none.
 */
export function comparedWith<Id extends string | number>(
  events: readonly ComparedEvent<Id>[],
): ReadonlyMap<Id, Id> {
  const befores = new Map<Id, Id>();
  const latest = new Map<string, Id>();
  for (const { id, source, verdict } of events) {
    if (verdict === 'stale') continue;
    const before = latest.get(source);
    if (before !== undefined) befores.set(id, before);
    latest.set(source, id);
  }
  for (const ofSource of Map.groupBy(events, ({ source }) => source).values())
    addPrecedingVersions(ofSource, befores);
  return befores;
}

/** An event with a version, between those that come before and after it in version order. */
interface Link<Id extends string | number> {
  readonly event: ComparedEvent<Id>;
  readonly version: string;
  before: Link<Id> | undefined;
  after: Link<Id> | undefined;
}

/**
 * All events are linked in version order, and taken out again from the last
 * arrival on: what is left before an event then arrived earlier. Each costs
 * the same, however many there are.
 */
function addPrecedingVersions<Id extends string | number>(
  arrived: readonly ComparedEvent<Id>[],
  befores: Map<Id, Id>,
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
    if (event.verdict === 'stale' && before !== undefined) befores.set(event.id, before.event.id);
    if (before !== undefined) before.after = after;
    if (after !== undefined) after.before = before;
  }
}
