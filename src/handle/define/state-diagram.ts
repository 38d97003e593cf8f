import type { TransitionTable } from './transition-table.ts';

/**
 * A machine's table as a Mermaid state diagram. Moves between the same two
 * states share an arrow; a move that stays where it is is drawn as a loop.
 */
export function stateDiagram({ initial, transitions }: TransitionTable): string {
  const arrows = Map.groupBy(transitions, ({ from, to }) => `${stateName(from)} --> ${stateName(to)}`);
  const lines = [...arrows].map(([arrow, moves]) => {
    const signals = new Set(moves.map(({ on }) => on));
    return `  ${arrow}: ${[...signals].join(', ')}`;
  });
  return ['stateDiagram-v2', `  [*] --> ${stateName(initial)}`, ...lines].join('\n');
}

/** Mermaid takes hyphens for arrows. */
function stateName(phase: string): string {
  return phase.replaceAll('-', '_');
}
