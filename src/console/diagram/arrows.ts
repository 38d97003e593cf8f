/** Draws the arrows of a diagram and their labels. */
import type { Arrow } from './graph.ts';
import type { Point, ArrowRoute } from './place.ts';
import { fitText, type FittedText } from './text-size.ts';

/** The box of a phase, in pixels, from its upper left corner. */
export interface PhaseBox {
  readonly phase: string;
  /** The phase as it fits into the box. */
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface DrawnArrow {
  readonly arrow: Arrow;
  /** The line, as the `d` of a path. */
  readonly line: string;
  /** The head, as the `d` of a path. */
  readonly head: string;
  readonly label: readonly LabelLine[];
}

/** An arrow at one of its boxes: where it leaves or reaches it. */
interface Port {
  readonly box: PhaseBox;
  readonly side: 'left' | 'right';
  /** The height that the arrow has in the column beside the box. */
  readonly towards: number;
}

/** Length of the head of an arrow. */
const HEAD = 7;

/** Draws the arrows between different boxes. An arrow passes each column straight, and bends between columns. */
export function drawArrows(
  routes: ReadonlyMap<Arrow, ArrowRoute>,
  boxes: ReadonlyMap<string, PhaseBox>,
): readonly DrawnArrow[] {
  const ends = [...routes].flatMap(([arrow, route]) => {
    const [from, to] = [boxes.get(arrow.from), boxes.get(arrow.to)];
    if (from === undefined || to === undefined) return [];
    const [near, far] = to.x < from.x ? (['left', 'right'] as const) : (['right', 'left'] as const);
    const leaves: Port = { box: from, side: near, towards: route.passes[0]?.y ?? to.y };
    const reaches: Port = { box: to, side: far, towards: route.passes.at(-1)?.y ?? from.y };
    return [{ arrow, route, leaves, reaches }];
  });
  const ports = ends.flatMap(({ leaves, reaches }) => [leaves, reaches]);
  return ends.map(({ arrow, route: { passes, label }, leaves, reaches }) => {
    const end = pointOf(reaches, ports);
    const direction = reaches.side === 'left' ? 1 : -1;
    const points = [
      pointOf(leaves, ports),
      ...passes.flatMap(({ x, y, width }) => [
        { x: x - (direction * width) / 2, y },
        { x: x + (direction * width) / 2, y },
      ]),
      // The head is as long as what the line leaves out.
      { x: end.x - direction * HEAD, y: end.y },
    ];
    return {
      arrow,
      line: points.map((point, index) => segment(points[index - 1], point)).join(''),
      head: `M${at(end)}l${String(-direction * HEAD)} -4v8z`,
      label: label === null ? [] : labelLines(labelOf(arrow), label),
    };
  });
}

/** Where an arrow touches its box: those of one side stand beside each other, in the order of what they lead to. */
function pointOf(port: Port, ports: readonly Port[]): Point {
  const { box, side } = port;
  const own = ports
    .filter((each) => each.box === box && each.side === side)
    .toSorted((one, other) => one.towards - other.towards);
  return {
    x: side === 'left' ? box.x : box.x + box.width,
    y: box.y + ((own.indexOf(port) + 1) * box.height) / (own.length + 1),
  };
}

function segment(before: Point | undefined, point: Point): string {
  if (before === undefined) return `M${at(point)}`;
  if (before.y === point.y) return `L${at(point)}`;
  const middle = (before.x + point.x) / 2;
  return `C${at({ x: middle, y: before.y })} ${at({ x: middle, y: point.y })} ${at(point)}`;
}

/** Draws the arrows from a phase to itself: loops above its box. */
export function drawLoops(
  loops: readonly Arrow[],
  boxes: ReadonlyMap<string, PhaseBox>,
): readonly DrawnArrow[] {
  return loops.flatMap((arrow) => {
    const box = boxes.get(arrow.from);
    if (box === undefined) return [];
    const [x, y] = [box.x + box.width / 2, box.y];
    const label = labelOf(arrow);
    return [
      {
        arrow,
        line: `M${at({ x: x - 16, y })}c0 -26 32 -26 32 -${String(HEAD)}`,
        head: `M${at({ x: x + 16, y })}l-4 -${String(HEAD)}h8z`,
        label: labelLines(label, { x, y: y - LOOP_HEIGHT + 6 - (label.length * LINE_HEIGHT) / 2 }),
      },
    ];
  });
}

function at({ x, y }: Point): string {
  return `${String(round(x))} ${String(round(y))}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Pixels from a line of a label to the next. */
export const LINE_HEIGHT = 15;
/** Pixels above a box that the loop of its phase takes, without the label. */
export const LOOP_HEIGHT = 30;
const MAX_LINES = 4;
const MAX_COLUMNS = 22;

/** A line of an arrow's label, at its middle. */
interface LabelLine {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** The label of an arrow: a line for each signal, the first few of many. Empty when the signals say nothing. */
export function labelOf(arrow: Arrow): readonly FittedText[] {
  const { signals, to } = arrow;
  // A signal that has the name of the phase it leads to says nothing.
  if (signals.every((signal) => signal === to)) return [];
  const shown = signals.length > MAX_LINES ? signals.slice(0, MAX_LINES - 1) : signals;
  const lines = shown.map((signal) => fitText(signal, MAX_COLUMNS));
  const more = signals.length - shown.length;
  return more === 0 ? lines : [...lines, fitText(`+${String(more)}`, MAX_COLUMNS)];
}

/** Places the lines of a label around a point. */
function labelLines(lines: readonly FittedText[], { x, y }: Point): readonly LabelLine[] {
  const first = y - ((lines.length - 1) * LINE_HEIGHT) / 2 + 4;
  return lines.map(({ text }, index) => ({
    x: Math.round(x),
    y: Math.round(first + index * LINE_HEIGHT),
    text,
  }));
}
