/** The traits by which a plan of a replay groups events. */
import type { Verdict } from '../../../event/stored-event.ts';
import type { Ids } from '../ids.ts';
import type { ReplayEventGroup, ReplayTraits } from '../../replays.ts';

export interface TraitsRow {
  readonly kind: string;
  readonly recognized: number;
  readonly verdict: string;
  /** These are JSON arrays of names. */
  readonly succeeded: string;
  readonly in_status: string;
  readonly overtaken: string;
}

export function traitsOf(row: TraitsRow): ReplayTraits {
  return {
    kind: row.kind,
    recognized: row.recognized === 1,
    verdict: row.verdict as Verdict,
    succeeded: namesOf(row.succeeded),
    inStatus: namesOf(row.in_status),
    overtaken: namesOf(row.overtaken),
  };
}

/** An empty list of names, as JSON. */
export const NO_NAMES = '[]';
const NONE: readonly string[] = [];

function namesOf(json: string): readonly string[] {
  return json === NO_NAMES ? NONE : (JSON.parse(json) as string[]);
}

/** Events with the same traits, and a JSON array of two numbers for each counted name: delivered, succeeded. */
export interface TraitsCount extends TraitsRow {
  readonly events: number;
  readonly first: number | null;
  readonly effects: string;
}

/**
 * Returns the counts of effects in the order of all names.
 *
 * @param counted the names in the order of the row; the others were never delivered
 */
export function traitsCount(
  row: TraitsCount,
  counted: readonly string[],
  names: readonly string[],
  ids: Ids,
): ReplayEventGroup {
  const numbers = JSON.parse(row.effects) as readonly number[];
  const effects = names.map((name) => {
    const at = counted.indexOf(name);
    return at === -1
      ? { delivered: 0, succeeded: 0 }
      : { delivered: numbers[2 * at] ?? 0, succeeded: numbers[2 * at + 1] ?? 0 };
  });
  const first = row.first === null ? null : ids.event(row.first);
  return { ...traitsOf(row), events: row.events, first, effects };
}
