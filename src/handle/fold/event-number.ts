/** The number in an event's id (`<storeId>-<number>`): events are numbered as they arrive. */
export function eventNumber(eventId: string): number {
  return Number(eventId.slice(eventId.lastIndexOf('-') + 1));
}

/** Events in the order they arrived. One that is given twice counts once. */
export function inArrivalOrder<E extends { readonly id: string }>(events: readonly E[]): E[] {
  const byNumber = new Map(events.map((event) => [eventNumber(event.id), event]));
  return [...byNumber].sort(([one], [other]) => one - other).map(([, event]) => event);
}
