/** The number in an event's id (`<installation>-<number>`): events are numbered as they arrive. */
export function eventNumber(eventId: string): number {
  return Number(eventId.slice(eventId.lastIndexOf('-') + 1));
}
