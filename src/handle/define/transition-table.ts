/** One possible move. */
export interface Transition {
  readonly from: string;
  /** What makes it move, in the machine's own words: `started`, `issued`, ... */
  readonly on: string;
  readonly to: string;
}

/** A machine's moves as data: the code runs it, the documents and the console draw it. */
export interface TransitionTable {
  readonly initial: string;
  readonly transitions: readonly Transition[];
}

/** Where `signal` leads from `phase`; `undefined` when that move is impossible. */
export function nextPhase(table: TransitionTable, phase: string, signal: string): string | undefined {
  return table.transitions.find((move) => move.from === phase && move.on === signal)?.to;
}
