/** Draws the arrows of a diagram. */
import type { Way } from './columns.ts';
import type { Arrow } from './graph.ts';
import { labelLines, labelOf, LINE_HEIGHT, LOOP_HEIGHT, type LabelLine } from './labels.ts';
import type { FittedText } from './text-size.ts';

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

/** Room right of each column of phases, for arrows between two phases of one column. */
export const BESIDE = 26;
/** Length of the head of an arrow. */
const HEAD = 7;

/** Where each way leaves and reaches its boxes: beside each other, in the order of what they lead to. */
export function findPorts(
  ways: readonly Way[],
  boxes: ReadonlyMap<string, PhaseBox>,
  middle: (slot: number) => number,
): ReadonlyMap<Way, { readonly left: number; readonly right: number }> {
  const ports = new Map(ways.map((way) => [way, { left: 0, right: 0 }]));
  for (const [phase, box] of boxes)
    for (const side of ['left', 'right'] as const) {
      const own = ways.filter((way) => phaseAt(way, side) === phase);
      const sorted = own.toSorted(
        (one, other) => neighbour(one, side, middle) - neighbour(other, side, middle),
      );
      for (const [index, way] of sorted.entries()) {
        const port = ports.get(way);
        if (port !== undefined) port[side] = box.y + ((index + 1) * box.height) / (sorted.length + 1);
      }
    }
  return ports;
}

/** The phase at the left or right end of a way. */
function phaseAt({ arrow: { from, to }, backward }: Way, side: 'left' | 'right'): string {
  return (side === 'left') === backward ? to : from;
}

function neighbour({ slots }: Way, side: 'left' | 'right', middle: (slot: number) => number): number {
  return middle((side === 'left' ? slots[1] : slots.at(-2)) ?? 0);
}

/** Draws the path of an arrow through the columns. */
export function drawWay(
  way: Way,
  boxes: ReadonlyMap<string, PhaseBox>,
  ports: ReturnType<typeof findPorts>,
  {
    middle,
    column,
    label,
  }: {
    readonly middle: (slot: number) => number;
    readonly column: (slot: number) => { readonly left: number; readonly right: number };
    readonly label: readonly FittedText[];
  },
): DrawnArrow {
  const [left, right] = [boxes.get(phaseAt(way, 'left')), boxes.get(phaseAt(way, 'right'))];
  const port = ports.get(way) ?? { left: 0, right: 0 };
  const from = { x: (left?.x ?? 0) + (left?.width ?? 0), y: port.left };
  const to = { x: right?.x ?? 0, y: port.right };
  const points = way.slots.slice(1, -1).flatMap((slot, index) => {
    const { left: x1, right: x2 } = column(slot);
    const y = middle(slot);
    // A way passes columns of phases straight. Between them it bends once, or twice where its label stands.
    if (index % 2 === 1)
      return [
        { x: x1, y },
        { x: x2, y },
      ];
    return index === 0 && label.length > 0 ? [{ x: (x1 + x2) / 2, y }] : [];
  });
  // The head is as long as what the line leaves out.
  const [begin, end] = way.backward
    ? [{ x: from.x + HEAD, y: from.y }, to]
    : [from, { x: to.x - HEAD, y: to.y }];
  const whole = [begin, ...points, end];
  const line = whole
    .map((point, index) => {
      const before = whole[index - 1];
      if (before === undefined) return `M${at(point.x, point.y)}`;
      if (before.y === point.y) return `L${at(point.x, point.y)}`;
      const mid = (before.x + point.x) / 2;
      return `C${at(mid, before.y)} ${at(mid, point.y)} ${at(point.x, point.y)}`;
    })
    .join('');
  const slot = way.slots[1] ?? 0;
  const edges = column(slot);
  return {
    arrow: way.arrow,
    line,
    head: way.backward ? head(from.x, from.y, 'left') : head(to.x, to.y, 'right'),
    label: labelLines(label, (edges.left + edges.right) / 2, middle(slot)),
  };
}

/** An arrow between two phases of one column: an arc on their right. */
export function drawBeside(
  arrow: Arrow,
  boxes: ReadonlyMap<string, PhaseBox>,
  index: number,
): readonly DrawnArrow[] {
  const [from, to] = [boxes.get(arrow.from), boxes.get(arrow.to)];
  if (from === undefined || to === undefined) return [];
  const isDown = to.y > from.y;
  const [y1, y2] = [from.y + (isDown ? from.height - 6 : 6), to.y + (isDown ? 6 : to.height - 6)];
  const [x1, x2] = [from.x + from.width, to.x + to.width];
  const bend = Math.max(x1, x2) + BESIDE - 4 + (index % 3) * 3;
  const end = x2 + HEAD;
  return [
    {
      arrow,
      line: `M${at(x1, y1)}C${at(bend, y1)} ${at(bend, y2)} ${at(end, y2)}`,
      head: head(x2, y2, 'left'),
      label: [],
    },
  ];
}

/** An arrow from a phase to itself: a loop above its box. */
export function drawLoop(arrow: Arrow, boxes: ReadonlyMap<string, PhaseBox>): readonly DrawnArrow[] {
  const box = boxes.get(arrow.from);
  if (box === undefined) return [];
  const middle = box.x + box.width / 2;
  const [x1, x2, y] = [middle - 16, middle + 16, box.y];
  const lines = labelOf(arrow);
  return [
    {
      arrow,
      line: `M${at(x1, y)}C${at(x1, y - 26)} ${at(x2, y - 26)} ${at(x2, y - HEAD)}`,
      head: `M${at(x2, y)}l-4 -${String(HEAD)}h8z`,
      label: labelLines(lines, middle, y - LOOP_HEIGHT + 6 - (lines.length * LINE_HEIGHT) / 2),
    },
  ];
}

/** The head of an arrow whose point is at a place. */
function head(x: number, y: number, towards: 'left' | 'right'): string {
  const back = towards === 'right' ? -HEAD : HEAD;
  return `M${at(x, y)}l${String(back)} -4v8z`;
}

function at(x: number, y: number): string {
  return `${String(round(x))} ${String(round(y))}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
