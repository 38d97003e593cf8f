import type { StoreTotals } from '../../store/queries.ts';

/** Names in one message; the others are counted. */
const MAX_NAMES = 10;

/**
 * Finds the handlers with pending deliveries that no process with these delivery names runs.
 *
 * @param deliveryNames every name that a delivery to a registered handler carries
 */
export function findWaiting(
  { byHandler }: Pick<StoreTotals, 'byHandler'>,
  deliveryNames: readonly string[],
): StoreTotals['byHandler'] {
  const known = new Set(deliveryNames);
  return byHandler.filter(({ handler, pending }) => pending > 0 && !known.has(handler));
}

/** Describes what {@link findWaiting} has found, with its remedy; null if that is nothing. */
export function describeWaiting(waiting: StoreTotals['byHandler']): string | null {
  if (waiting.length === 0) return null;
  const named = waiting.slice(0, MAX_NAMES).map(({ handler, pending }) => `${handler} (${String(pending)})`);
  const more = waiting.length - named.length;
  const names = `${named.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
  return `pending deliveries wait for handlers that are not registered: ${names}; register them again under these names (PORTARIA_HANDLERS, PORTARIA_FORWARD_URL) and restart, or end them with \`portaria deliveries discard --handler ${waiting[0]?.handler ?? ''} --reason "…"\``;
}
