import type { EventRecord } from '../event/stored-event.ts';
import { eventNumber } from './event-number.ts';

/**
 * A subject's events in the order they happened, as far as it is known: by
 * version, equal ones by arrival. An event without a version keeps the place
 * its arrival gives it, behind the highest version that had arrived by then.
 * An event that is given twice counts once.
 */
export function inVersionOrder<E extends Pick<EventRecord, 'id' | 'version'>>(
  events: readonly E[],
): readonly E[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  const arrived = [...byId.values()]
    .map((event) => ({ event, number: eventNumber(event.id) }))
    .sort((one, other) => one.number - other.number);

  let highest = '';
  const placed = arrived.map(({ event, number }) => {
    if (event.version !== null && event.version > highest) highest = event.version;
    return { event, number, version: event.version ?? highest };
  });
  return placed
    .sort((one, other) => compare(one.version, other.version) || one.number - other.number)
    .map(({ event }) => event);
}

/** By code units: versions have a fixed width, and a locale has no say in them. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
