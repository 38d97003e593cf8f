/** A machine's moves as a graph. */
import type { Transition, TransitionTable } from '../../handle/define/transition-table.ts';

/** All moves between the same two phases: one arrow. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  /** What causes it; each signal once. Empty for a move that no table has. */
  readonly signals: readonly string[];
  /** Whether the table has it. Otherwise a subject made the move nevertheless. */
  readonly expected: boolean;
}

/** What a diagram shows: phases in the order of the table, and the arrows between them. */
export interface Graph {
  readonly initial: string;
  readonly phases: readonly string[];
  /** The arrows between different phases. */
  readonly arrows: readonly Arrow[];
  /** The arrows from a phase to itself. */
  readonly loops: readonly Arrow[];
}

/** A move that a subject made. */
export type Move = Pick<Transition, 'from' | 'to'>;

/** Larger tables are shown as text: nobody reads such a picture, and drawing it takes long. */
const MAX_PHASES = 60;
const MAX_ARROWS = 100;

/**
 * Reads the graph of a table, with further moves that subjects made.
 *
 * @returns null when it is too large to draw.
 */
export function graphOf({ initial, transitions }: TransitionTable, made: readonly Move[] = []): Graph | null {
  const expected = [...Map.groupBy(transitions, arrowKey).values()].map((moves): Arrow => ({
    from: moves[0]?.from ?? '',
    to: moves[0]?.to ?? '',
    signals: [...new Set(moves.map(({ on }) => on))],
    expected: true,
  }));
  const known = new Set(expected.map(arrowKey));
  const others = [...new Map(made.map((move) => [arrowKey(move), move])).values()]
    .filter((move) => move.from !== move.to && !known.has(arrowKey(move)))
    .map(({ from, to }): Arrow => ({ from, to, signals: [], expected: false }));
  const all = [...expected, ...others];
  const phases = [...new Set([initial, ...all.flatMap(({ from, to }) => [from, to])])];
  if (phases.length > MAX_PHASES || all.length > MAX_ARROWS) return null;
  return {
    initial,
    phases,
    arrows: all.filter(({ from, to }) => from !== to),
    loops: all.filter(({ from, to }) => from === to),
  };
}

/** Identifies an arrow. Phases are any text, so the two are written as JSON. */
export function arrowKey({ from, to }: Move): string {
  return JSON.stringify([from, to]);
}
