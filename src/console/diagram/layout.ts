/** Lays out the diagram of a machine: boxes, arrows and size. */
import {
  BESIDE,
  drawBeside,
  drawLoop,
  drawWay,
  findPorts,
  type DrawnArrow,
  type PhaseBox,
} from './arrows.ts';
import { arrangeColumns, type Columns, type Way } from './columns.ts';
import type { Graph } from './graph.ts';
import { labelOf, LINE_HEIGHT, LOOP_HEIGHT } from './labels.ts';
import { orderColumns, type Order } from './order.ts';
import { placeSlots } from './place.ts';
import { fitText, type FittedText } from './text-size.ts';

/** A table of moves as a picture. The same graph gives the same picture. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly PhaseBox[];
  readonly arrows: readonly DrawnArrow[];
  /** Where the line from the start ends: the left side of the initial phase. */
  readonly start: { readonly x: number; readonly y: number };
}

const MARGIN = 12;
/** Room left of the initial phase, for the dot from which it begins. */
const START = 26;
const BOX_HEIGHT = 44;
const PORT_GAP = 10;
/** Characters of a phase that are shown. */
const MAX_PLACES = 22;

interface Size {
  readonly name: FittedText;
  readonly width: number;
  /** The height of the box, without its loop. */
  readonly height: number;
  /** The height of the loop above the box. */
  readonly above: number;
}

/** Lays a graph out from left to right: phases in columns, arrows between them, nothing on top of a phase. */
export function layOut(graph: Graph): Layout {
  const columns = arrangeColumns(graph);
  const { slots, ways } = columns;
  const order = orderColumns(columns);
  const sizes = new Map(graph.phases.map((phase) => [phase, sizeOf(phase, graph)]));
  const labels = new Map(ways.map((way) => [way, labelOf(way.arrow)]));
  const labelled = new Map(ways.map((way) => [way.slots[1] ?? -1, way]));
  const heights = slots.map(({ phase, label }, index) => {
    const size = phase === null ? undefined : sizes.get(phase);
    if (size !== undefined) return size.height + size.above;
    const way = labelled.get(index);
    return label && way !== undefined ? (labels.get(way)?.length ?? 0) * LINE_HEIGHT + 6 : 6;
  });
  const middles = placeSlots(slots, order, heights, (one, other) =>
    slots[one]?.phase === null || slots[other]?.phase === null ? 8 : 18,
  );
  const top =
    MARGIN - Math.min(...slots.map((_, index) => (middles[index] ?? 0) - (heights[index] ?? 0) / 2));
  const middle = (slot: number): number => Math.round((middles[slot] ?? 0) + top);
  const edges = columnEdges(columns, order, sizes, labels);
  const column = (slot: number): { readonly left: number; readonly right: number } =>
    edges[slots[slot]?.column ?? 0] ?? { left: 0, right: 0 };

  const boxes = new Map<string, PhaseBox>();
  for (const [index, { phase }] of slots.entries()) {
    const size = phase === null ? undefined : sizes.get(phase);
    if (phase === null || size === undefined) continue;
    boxes.set(phase, {
      phase,
      text: size.name.text,
      x: column(index).left,
      y: middle(index) - (size.height + size.above) / 2 + size.above,
      // As wide as its column, so that no line passes beside a narrow box and over a wide one.
      width: column(index).right - column(index).left,
      height: size.height,
    });
  }

  const ports = findPorts(ways, boxes, middle);
  const drawn = [
    ...ways.map((way) => drawWay(way, boxes, ports, { middle, column, label: labels.get(way) ?? [] })),
    ...columns.beside.flatMap((arrow, index) => drawBeside(arrow, boxes, index)),
    ...graph.loops.flatMap((arrow) => drawLoop(arrow, boxes)),
  ];
  const initial = boxes.get(graph.initial);
  const bottom = Math.max(...slots.map((_, index) => middle(index) + (heights[index] ?? 0) / 2));
  return {
    width: Math.ceil((edges.at(-1)?.right ?? 0) + MARGIN + (columns.beside.length > 0 ? BESIDE : 0)),
    height: Math.ceil(bottom + MARGIN),
    boxes: [...boxes.values()],
    arrows: drawn,
    start: { x: initial?.x ?? 0, y: (initial?.y ?? 0) + (initial?.height ?? 0) / 2 },
  };
}

function sizeOf(phase: string, { arrows, loops }: Graph): Size {
  const name = fitText(phase, MAX_PLACES);
  const loop = loops.find(({ from }) => from === phase);
  const lines = loop === undefined ? [] : labelOf(loop);
  const most = Math.max(
    arrows.filter(({ from }) => from === phase).length,
    arrows.filter(({ to }) => to === phase).length,
  );
  const widest = Math.max(name.width + 24, ...lines.map(({ width }) => width + 8));
  return {
    name,
    width: Math.ceil(Math.max(84, widest)),
    height: Math.max(BOX_HEIGHT, (most + 1) * PORT_GAP),
    above: loop === undefined ? 0 : LOOP_HEIGHT + lines.length * LINE_HEIGHT,
  };
}

function columnEdges(
  { slots, count, beside }: Columns,
  order: Order,
  sizes: ReadonlyMap<string, Size>,
  labels: ReadonlyMap<Way, readonly FittedText[]>,
): readonly { readonly left: number; readonly right: number }[] {
  const widths = order.map((column, index) => {
    if (index % 2 === 1) return 46;
    return Math.max(0, ...column.map((slot) => sizes.get(slots[slot]?.phase ?? '')?.width ?? 0));
  });
  for (const [way, lines] of labels) {
    const at = slots[way.slots[1] ?? -1]?.column;
    if (at === undefined) continue;
    widths[at] = Math.max(widths[at] ?? 0, ...lines.map(({ width }) => Math.ceil(width) + 34));
  }
  const edges: { left: number; right: number }[] = [];
  let left = MARGIN + START;
  for (let index = 0; index < count; index += 1) {
    const extra = index % 2 === 1 && beside.length > 0 ? BESIDE : 0;
    const right = left + (widths[index] ?? 0) + extra;
    edges.push({ left, right });
    left = right;
  }
  return edges;
}
