/** Returns the number in an event's id (`<store id>-<number>`). Events are numbered in the order of arrival. */
export function eventNumber(eventId: string): number {
  return Number(eventId.slice(eventId.lastIndexOf('-') + 1));
}

/** Sorts events by arrival and removes duplicates. */
export function inArrivalOrder<E extends { readonly id: string }>(events: readonly E[]): E[] {
  const byNumber = new Map(events.map((event) => [eventNumber(event.id), event]));
  return [...byNumber].sort(([one], [other]) => one - other).map(([, event]) => event);
}
