import type { StoreTotals } from '../store/queries.ts';

/** Names in one message; the others are counted. */
const MAX_NAMES = 10;

/**
 * Describes pending deliveries that no process with these handlers runs; null if there are none.
 *
 * @param deliveryNames every name that a delivery to these handlers carries
 */
export function waitingWithoutHandler(
  totals: Pick<StoreTotals, 'byHandler'>,
  deliveryNames: readonly string[],
): string | null {
  const waiting = handlersWithoutRegistration(totals, deliveryNames);
  if (waiting.length === 0) return null;
  const named = waiting.slice(0, MAX_NAMES).map(({ handler, pending }) => `${handler} (${String(pending)})`);
  const more = waiting.length - named.length;
  const names = `${named.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
  return `pending deliveries wait for handlers that are not registered: ${names}; register them again under these names (PORTARIA_HANDLERS, PORTARIA_FORWARD_URL) and restart; a handler that does nothing discards them`;
}

/** Returns the handlers with pending deliveries that are none of these. */
export function handlersWithoutRegistration(
  { byHandler }: Pick<StoreTotals, 'byHandler'>,
  deliveryNames: readonly string[],
): StoreTotals['byHandler'] {
  const known = new Set(deliveryNames);
  return byHandler.filter(({ handler, pending }) => pending > 0 && !known.has(handler));
}
