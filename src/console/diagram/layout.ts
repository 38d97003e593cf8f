/** Lays out the diagram of a machine with dagre: phases in columns from left to right, arrows between them. */
import * as dagre from '@dagrejs/dagre';
import type { Transition, TransitionTable } from '../../handle/define/transition-table.ts';
import { fitText } from './text-size.ts';

/** A move that a subject made. */
export type Move = Pick<Transition, 'from' | 'to'>;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle, by its middle. */
interface Area extends Point {
  readonly width: number;
  readonly height: number;
}

/** The box of a phase. */
export interface PhaseBox extends Area {
  readonly phase: string;
  /** The phase as it fits into the box. */
  readonly text: string;
}

/** All moves between the same two phases: one arrow. */
export interface Arrow extends Move {
  /** What causes it; each signal once. Empty for a move that no table has. */
  readonly signals: readonly string[];
  /** Whether the table has it. Otherwise a subject made the move nevertheless. */
  readonly expected: boolean;
  /** The line, as the `d` of a path. */
  readonly line: string;
  /** The head, as the `d` of a path. */
  readonly head: string;
  readonly label: Area & { readonly lines: readonly string[] };
}

/** A table of moves as a picture. The same table gives the same picture. */
export interface Layout extends Omit<Area, keyof Point> {
  /** The box of the initial phase is the first. */
  readonly boxes: readonly PhaseBox[];
  readonly arrows: readonly Arrow[];
  readonly left: number;
  readonly top: number;
}

/** What is used of dagre. Its own types name files without extensions, which Node's resolution does not find. */
interface Dagre {
  readonly Graph: new () => {
    setGraph(settings: object): void;
    setNode(id: string, size: Omit<Area, keyof Point>): void;
    setEdge(from: string, to: string, label: Omit<Area, keyof Point> & { readonly labelpos: 'c' }): void;
    node(id: string): Area;
    /** A label without a size has no coordinates. */
    edge(from: string, to: string): Partial<Point> & { readonly points: readonly Point[] };
  };
  readonly layout: (graph: InstanceType<Dagre['Graph']>) => void;
}

/** Larger tables are shown as text: nobody reads such a picture, and drawing it takes long. */
const MAX_PHASES = 60;
const MAX_ARROWS = 100;
/** Characters of a phase or a signal that are shown, and lines of a label. */
const MAX_COLUMNS = 22;
const MAX_LINES = 4;
/** Pixels from a line of a label to the next. */
export const LINE_HEIGHT = 15;
const MARGIN = 12;
/** Room left of the initial phase, for the dot from which it begins. */
const START = 26;
/** Length of the head of an arrow. */
const HEAD = 7;

/**
 * Lays out a table, with further moves that subjects made.
 *
 * @returns null when it is too large to draw.
 */
export function layOut({ initial, transitions }: TransitionTable, made: readonly Move[] = []): Layout | null {
  const expected = Map.groupBy(transitions, arrowKey);
  const unexpected = made.filter(({ from, to }) => from !== to).map(arrowKey);
  const moves = [...new Set([...expected.keys(), ...unexpected])].map((key) => {
    const [from, to] = JSON.parse(key) as [string, string];
    const signals = [...new Set(expected.get(key)?.map(({ on }) => on))];
    return { from, to, signals, expected: expected.has(key), label: labelOf(signals, to) };
  });
  const phases = [...new Set([initial, ...moves.flatMap(({ from, to }) => [from, to])])];
  if (phases.length > MAX_PHASES || moves.length > MAX_ARROWS) return null;

  const { Graph, layout } = dagre as Dagre;
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 24, edgesep: 16, ranksep: 46 });
  // Phases are any text, but dagre keeps its nodes as members of an object.
  const idOf = (phase: string): string => `phase ${String(phases.indexOf(phase))}`;
  const names = phases.map((phase) => fitText(phase, MAX_COLUMNS));
  // No line passes beside a narrow box and over a wide one: all are as wide.
  const width = Math.ceil(Math.max(84, ...names.map((name) => name.width + 24)));
  for (const phase of phases) graph.setNode(idOf(phase), { width, height: 44 });
  for (const { from, to, label } of moves) graph.setEdge(idOf(from), idOf(to), { ...label, labelpos: 'c' });
  layout(graph);

  const columns = new Set(phases.map((phase) => graph.node(idOf(phase)).x));
  const routes = moves.map((move) => {
    const [from, to] = [graph.node(idOf(move.from)), graph.node(idOf(move.to))];
    const { points, x = from.x, y = from.y } = graph.edge(idOf(move.from), idOf(move.to));
    const side = Math.sign(to.x - from.x);
    // A line passes a column of boxes straight, and its label. Elsewhere it has nothing to bend around.
    const bends = points.slice(1, -1).flatMap((point): readonly Point[] => {
      const half = columns.has(point.x) ? (side * width) / 2 : 0;
      const both = [half, -half].map((before) => ({ x: point.x - before, y: point.y }));
      return half !== 0 ? both : point.x === x ? [point] : [];
    });
    const leaves: Port = { box: from, side, towards: bends[0] ?? to };
    const reaches: Port = { box: to, side: -side, towards: bends.at(-1) ?? from };
    return { ...move, label: { ...move.label, x, y }, bends: side === 0 ? [] : bends, leaves, reaches };
  });
  const ports = routes.flatMap(({ leaves, reaches }) => [leaves, reaches]);
  const arrows = routes.map(({ bends, leaves, reaches, ...arrow }) => ({
    ...arrow,
    ...(leaves.side === 0
      ? drawLoop(leaves.box, arrow.label)
      : drawLine([pointOf(leaves, ports), ...bends, pointOf(reaches, ports)], reaches.side * HEAD)),
  }));
  const boxes = phases.map((phase, at) => ({
    ...{ phase, text: names[at]?.text ?? '' },
    ...graph.node(idOf(phase)),
  }));
  const bends = routes.flatMap((route) => route.bends.map((point) => ({ ...point, width: 0, height: 0 })));
  return { boxes, arrows, ...frameOf([...boxes, ...arrows.map(({ label }) => label), ...bends]) };
}

/** The label of an arrow: a line for each signal, the first few of many. Empty when the signals say nothing. */
function labelOf(signals: readonly string[], to: string) {
  // A signal that has the name of the phase it leads to says nothing.
  const said = signals.every((signal) => signal === to) ? [] : signals;
  const shown = said.length > MAX_LINES ? said.slice(0, MAX_LINES - 1) : said;
  const more = shown.length === said.length ? [] : [`+${String(said.length - shown.length)}`];
  const lines = [...shown, ...more].map((line) => fitText(line, MAX_COLUMNS));
  return {
    lines: lines.map(({ text }) => text),
    width: Math.ceil(Math.max(0, ...lines.map((line) => line.width + 8))),
    height: lines.length * LINE_HEIGHT,
  };
}

/** An arrow at one of its boxes. */
interface Port {
  readonly box: Area;
  /** -1 left of the box, 1 right of it. */
  readonly side: number;
  readonly towards: Point;
}

/** Where an arrow touches its box: those of one side stand beside each other, in the order of what they lead to. */
function pointOf(port: Port, ports: readonly Port[]): Point {
  const { box, side } = port;
  const own = ports
    .filter((each) => each.box === box && each.side === side)
    .toSorted((one, other) => one.towards.y - other.towards.y);
  const share = (own.indexOf(port) + 1) / (own.length + 1);
  return { x: box.x + (side * box.width) / 2, y: box.y + (share - 0.5) * box.height };
}

/** Draws an arrow through points; at each of them it is level. Its head is as long as what the line leaves out. */
function drawLine(points: readonly Point[], back: number): Pick<Arrow, 'line' | 'head'> {
  const [end = { x: 0, y: 0 }] = points.slice(-1);
  const through = [...points.slice(0, -1), { x: end.x + back, y: end.y }];
  const curves = through.map((point, at) => {
    const before = through[at - 1];
    if (before === undefined) return `M${textOf(point)}`;
    const x = (before.x + point.x) / 2;
    return `C${textOf({ x, y: before.y })} ${textOf({ x, y: point.y })} ${textOf(point)}`;
  });
  return { line: curves.join(''), head: `M${textOf(end)}l${String(back)} -4v8z` };
}

/** Draws an arrow from a box to itself: below the box, and around nothing but the room above its label. */
function drawLoop({ x, y, height }: Area, label: Area): Pick<Arrow, 'line' | 'head'> {
  const bottom = y + height / 2;
  // A curve reaches three quarters of what leads it.
  const depth = String(((label.y - label.height / 2 - bottom) * 4) / 3);
  return {
    line: `M${textOf({ x: x - 16, y: bottom })}c0 ${depth} 32 ${depth} 32 ${String(HEAD)}`,
    head: `M${textOf({ x: x + 16, y: bottom })}l-4 ${String(HEAD)}h8z`,
  };
}

function textOf({ x, y }: Point): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

/** What the picture shows: all that is drawn, and the start at the first of it. */
function frameOf(drawn: readonly Area[]) {
  const [initial = { x: 0, width: 0 }] = drawn;
  const left = Math.min(initial.x - initial.width / 2 - START, ...drawn.map(({ x, width }) => x - width / 2));
  const top = Math.min(...drawn.map(({ y, height }) => y - height / 2));
  const right = Math.max(...drawn.map(({ x, width }) => x + width / 2));
  const bottom = Math.max(...drawn.map(({ y, height }) => y + height / 2));
  return {
    ...{ left: Math.floor(left - MARGIN), top: Math.floor(top - MARGIN) },
    ...{ width: Math.ceil(right - left + 2 * MARGIN), height: Math.ceil(bottom - top + 2 * MARGIN) },
  };
}

/** Identifies an arrow. Phases are any text, so the two are written as JSON. */
export function arrowKey({ from, to }: Move): string {
  return JSON.stringify([from, to]);
}
