import type { TransitionTable } from './transition-table.ts';

/**
 * A machine's table as a Mermaid state diagram. Moves between the same two
 * states share an arrow; a move that stays where it is is drawn as a loop.
 */
export function stateDiagram({ initial, transitions }: TransitionTable): string {
  const arrows = new Map<string, string[]>();
  for (const { from, on, to } of transitions) {
    const arrow = `${stateName(from)} --> ${stateName(to)}`;
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), on]);
  }
  const lines = [...arrows].map(([arrow, signals]) => `  ${arrow}: ${[...new Set(signals)].join(', ')}`);
  return ['stateDiagram-v2', `  [*] --> ${stateName(initial)}`, ...lines].join('\n');
}

/** Mermaid takes hyphens for arrows. */
function stateName(phase: string): string {
  return phase.replaceAll('-', '_');
}
