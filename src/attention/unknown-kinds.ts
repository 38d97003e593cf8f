/** Finds kinds outside the contract that senders still send. */
import { countOf } from '../kernel/text/count.ts';
import { maskText } from '../kernel/text/scrub.ts';
import { HOUR_MS } from '../kernel/time/durations.ts';
import type { ReceivedKind } from '../store/monitoring.ts';
import type { OperatorProblem } from './problem.ts';

/** Kinds that have not come for this many milliseconds are no problem: an operator has seen them, or they ended. */
const RECENT_MS = 7 * 24 * HOUR_MS;

/** The limit of kinds that a problem names: senders choose them. */
const MAX_NAMED = 3;

/** Whether the contract has a kind of a source now, whatever it was when its events came. */
export type KnowsKind = (source: string, kind: string) => boolean;

/** Finds the sources that have sent kinds outside the contract within seven days: one problem for each source. */
export function findUnknownKinds(
  received: readonly ReceivedKind[],
  now: number,
  knows: KnowsKind,
): readonly OperatorProblem[] {
  const unknown = received.filter(
    ({ source, kind, recognized, lastReceivedAt }) =>
      !recognized && lastReceivedAt > now - RECENT_MS && !knows(source, kind),
  );
  return [...Map.groupBy(unknown, ({ source }) => source)].map(([source, kinds]) => {
    const latest = kinds.toSorted((one, other) => other.lastReceivedAt - one.lastReceivedAt);
    const named = latest.slice(0, MAX_NAMED).map(({ kind }) => (kind === '' ? 'others' : maskText(kind)));
    const more = latest.length > MAX_NAMED ? `, and ${String(latest.length - MAX_NAMED)} more` : '';
    return {
      problem: 'unknown-kinds',
      of: source,
      since: Math.min(...kinds.map(({ firstReceivedAt }) => firstReceivedAt)),
      summary: `${countOf(kinds.length, 'kind')} of source ${source} that came within seven days ${kinds.length === 1 ? 'is' : 'are'} outside the contract: ${named.join(', ')}${more}`,
      remedy:
        'whoever has a shell runs `portaria contract drift`; its --patch prints a definition (docs/contract.md), and `quarantine release` stores what is held',
      facts: { about: 'unknown-kinds', source, count: kinds.length, names: named },
    };
  });
}
