/** One move of a machine from a phase to the next. */
export interface Transition {
  readonly from: string;
  /** The signal that causes the move, in the machine's own words: `started`, `issued`, … */
  readonly on: string;
  readonly to: string;
}

/** A machine's moves as data. The machine's code reads it; the documents and the console draw it. */
export interface TransitionTable {
  readonly initial: string;
  readonly transitions: readonly Transition[];
}

/** Returns the phase that `signal` leads to from `phase`; undefined when the table has no such move. */
export function nextPhase(table: TransitionTable, phase: string, signal: string): string | undefined {
  return table.transitions.find((move) => move.from === phase && move.on === signal)?.to;
}

/** Whether a table has the phase. A provider may add phases that a machine does not know. */
export function isPhase({ initial, transitions }: TransitionTable, phase: string): boolean {
  return phase === initial || transitions.some(({ from, to }) => from === phase || to === phase);
}

/** Draws a table as a Mermaid state diagram. Moves between the same two phases share an arrow. */
export function stateDiagram({ initial, transitions }: TransitionTable): string {
  const arrows = Map.groupBy(transitions, ({ from, to }) => `${stateName(from)} --> ${stateName(to)}`);
  const lines = [...arrows].map(([arrow, moves]) => {
    const signals = new Set(moves.map(({ on }) => on));
    return `  ${arrow}: ${[...signals].join(', ')}`;
  });
  return ['stateDiagram-v2', `  [*] --> ${stateName(initial)}`, ...lines].join('\n');
}

/** Mermaid reads hyphens as part of an arrow. */
function stateName(phase: string): string {
  return phase.replaceAll('-', '_');
}
