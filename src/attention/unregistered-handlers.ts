/** Finds deliveries that wait for handlers which no process runs. */
import { countOf } from '../kernel/text/count.ts';
import type { StoreTotals } from '../store/queries.ts';
import type { OperatorProblem } from './problem.ts';

/** Names in one message; the others are counted. */
const MAX_NAMES = 10;

type HandlerCounts = StoreTotals['byHandler'];

/** Finds the handlers with pending deliveries that no process runs: one problem for each. */
export function findUnregistered(
  totals: Pick<StoreTotals, 'byHandler'>,
  deliveryNames: readonly string[],
): readonly OperatorProblem[] {
  return waitingFor(totals, deliveryNames).map(({ handler, pending }) => ({
    problem: 'unregistered-handlers',
    of: handler,
    since: null,
    summary: `${countOf(pending, 'pending delivery', 'pending deliveries')} ${pending === 1 ? 'waits' : 'wait'} for handler ${handler}, which is not registered`,
    facts: { about: 'unregistered-handlers', handler, pending },
    remedy: `register it again under this name (PORTARIA_HANDLERS, PORTARIA_FORWARD_URL) and restart, or end them with ${discard(handler)}`,
  }));
}

/**
 * Describes all such handlers in one warning, with its remedy; null if there is none.
 *
 * @param deliveryNames every name that a delivery to a registered handler carries
 */
export function unregisteredWarning(
  totals: Pick<StoreTotals, 'byHandler'>,
  deliveryNames: readonly string[],
): string | null {
  const waiting = waitingFor(totals, deliveryNames);
  const [first] = waiting;
  if (first === undefined) return null;
  const named = waiting.slice(0, MAX_NAMES).map(({ handler, pending }) => `${handler} (${String(pending)})`);
  const more = waiting.length - named.length;
  const names = `${named.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
  return `pending deliveries wait for handlers that are not registered: ${names}; register them again under these names (PORTARIA_HANDLERS, PORTARIA_FORWARD_URL) and restart, or end them with ${discard(first.handler)}`;
}

function waitingFor(
  { byHandler }: Pick<StoreTotals, 'byHandler'>,
  deliveryNames: readonly string[],
): HandlerCounts {
  const known = new Set(deliveryNames);
  return byHandler.filter(({ handler, pending }) => pending > 0 && !known.has(handler));
}

function discard(handler: string): string {
  return `\`portaria deliveries discard --handler ${handler} --reason "…"\``;
}
