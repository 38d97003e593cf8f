/** Puts the phases of a diagram into columns. */
import { arrowKey, type Arrow, type Graph } from './graph.ts';

/** What stands in a column: a phase, or the place where an arrow passes. */
export interface Slot {
  readonly column: number;
  /** The phase; null where an arrow passes. */
  readonly phase: string | null;
  /** Whether the label of the arrow stands here. */
  readonly label: boolean;
  /** Indexes of the slots that a line leads to, in the next column. */
  readonly next: number[];
  /** Indexes of the slots that a line comes from, in the column before. */
  readonly previous: number[];
}

/** An arrow as a way through the columns, from left to right. */
export interface Way {
  readonly arrow: Arrow;
  /** Whether it points to the left: its way begins where the arrow ends. */
  readonly backward: boolean;
  /** Indexes of slots: a phase, the places where it passes, a phase. */
  readonly slots: readonly number[];
}

/** A graph in columns. Phases stand in even columns; labels of arrows in the odd ones between them. */
export interface Columns {
  readonly slots: readonly Slot[];
  readonly ways: readonly Way[];
  /** Arrows between two phases of one column. */
  readonly beside: readonly Arrow[];
  readonly count: number;
}

/** Puts each phase into a column right of those it follows, and leads each arrow through all columns between. */
export function arrangeColumns(graph: Graph): Columns {
  const ranks = rankPhases(graph);
  const slots: Slot[] = [];
  const add = (column: number, phase: string | null, label: boolean): number =>
    slots.push({ column, phase, label, next: [], previous: [] }) - 1;
  const place = new Map(graph.phases.map((phase) => [phase, add(2 * rankOf(ranks, phase), phase, false)]));

  const ways: Way[] = [];
  const beside: Arrow[] = [];
  for (const arrow of graph.arrows) {
    const [from, to] = [rankOf(ranks, arrow.from), rankOf(ranks, arrow.to)];
    if (from === to) {
      beside.push(arrow);
      continue;
    }
    const backward = to < from;
    const [left, right] = backward ? [arrow.to, arrow.from] : [arrow.from, arrow.to];
    const first = 2 * Math.min(from, to) + 1;
    const last = 2 * Math.max(from, to) - 1;
    const between = Array.from({ length: last - first + 1 }, (_, index) =>
      add(first + index, null, index === 0 && isLabelled(arrow)),
    );
    const way = [place.get(left) ?? 0, ...between, place.get(right) ?? 0];
    for (const [index, slot] of way.entries()) {
      const following = way[index + 1];
      if (following === undefined) continue;
      slots[slot]?.next.push(following);
      slots[following]?.previous.push(slot);
    }
    ways.push({ arrow, backward, slots: way });
  }
  return { slots, ways, beside, count: 2 * Math.max(0, ...ranks.values()) + 1 };
}

/** A signal that has the name of the phase it leads to says nothing. */
export function isLabelled({ signals, to }: Arrow): boolean {
  return signals.some((signal) => signal !== to);
}

/**
 * Ranks the phases by their longest way from the initial phase. The expected arrows decide; an arrow that would
 * close a circle is ignored. Phases that only other moves reach come right after where these begin.
 */
function rankPhases({ initial, phases, arrows }: Graph): ReadonlyMap<string, number> {
  const expected = arrows.filter((arrow) => arrow.expected);
  const following = Map.groupBy(expected, ({ from }) => from);
  const closing = circleClosing([initial, ...phases], following);
  const onward = expected.filter((arrow) => !closing.has(arrowKey(arrow)));
  const ranks = new Map<string, number>();
  const inTable = new Set([initial, ...expected.flatMap(({ from, to }) => [from, to])]);
  for (const phase of phases) if (inTable.has(phase)) ranks.set(phase, 0);
  // Without circles, the longest way has fewer arrows than there are phases.
  for (let round = 0; round < phases.length; round += 1)
    for (const { from, to } of onward) ranks.set(to, Math.max(rankOf(ranks, to), rankOf(ranks, from) + 1));
  for (const { from, to } of arrows.filter((arrow) => !arrow.expected)) {
    if (!ranks.has(from)) ranks.set(from, 0);
    if (!ranks.has(to)) ranks.set(to, rankOf(ranks, from) + 1);
  }
  return ranks;
}

/** Finds the arrows that lead back to a phase on the way to them, from the first phases on. */
function circleClosing(
  phases: readonly string[],
  following: ReadonlyMap<string, readonly Arrow[]>,
): ReadonlySet<string> {
  const closing = new Set<string>();
  const done = new Set<string>();
  const onWay = new Set<string>();
  const visit = (phase: string): void => {
    onWay.add(phase);
    for (const arrow of following.get(phase) ?? []) {
      if (onWay.has(arrow.to)) closing.add(arrowKey(arrow));
      else if (!done.has(arrow.to)) visit(arrow.to);
    }
    onWay.delete(phase);
    done.add(phase);
  };
  for (const phase of phases) if (!done.has(phase)) visit(phase);
  return closing;
}

function rankOf(ranks: ReadonlyMap<string, number>, phase: string): number {
  return ranks.get(phase) ?? 0;
}
