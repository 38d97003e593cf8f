/** Lays out the diagram of a machine: boxes, arrows and size. */
import {
  drawArrows,
  drawLoops,
  labelOf,
  LINE_HEIGHT,
  LOOP_HEIGHT,
  type DrawnArrow,
  type PhaseBox,
} from './arrows.ts';
import type { Arrow, Graph } from './graph.ts';
import { placeGraph, type Point, type Size } from './place.ts';
import { fitText, type FittedText } from './text-size.ts';

/** A table of moves as a picture. The same graph gives the same picture. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly PhaseBox[];
  readonly arrows: readonly DrawnArrow[];
  /** Where the line from the start ends: the left side of the initial phase. */
  readonly start: Point;
}

const MARGIN = 12;
/** Room left of the initial phase, for the dot from which it begins. */
const START = 26;
const BOX_HEIGHT = 44;
const PORT_GAP = 10;
/** Characters of a phase that are shown. */
const MAX_COLUMNS = 22;

interface PhaseSize extends Size {
  readonly name: FittedText;
  /** How much of the height is the loop above the box. */
  readonly above: number;
}

/** Lays a graph out from left to right: phases in columns, arrows between them, nothing on top of a phase. */
export function layOut(graph: Graph): Layout {
  const sizes = { phase: (phase: string) => sizeOf(phase, graph), label: labelSize };
  const { boxAt, routes, end } = placeGraph(graph, sizes, { x: MARGIN + START, y: MARGIN });
  const boxes = new Map<string, PhaseBox>();
  for (const [phase, { x, y, width }] of boxAt) {
    const { name, height, above } = sizeOf(phase, graph);
    boxes.set(phase, {
      phase,
      text: name.text,
      x: x - width / 2,
      y: y - height / 2 + above,
      width,
      height: height - above,
    });
  }
  const initial = boxes.get(graph.initial);
  return {
    width: Math.ceil(end.x + MARGIN),
    height: Math.ceil(end.y + MARGIN),
    boxes: [...boxes.values()],
    arrows: [...drawArrows(routes, boxes), ...drawLoops(graph.loops, boxes)],
    start: { x: initial?.x ?? 0, y: (initial?.y ?? 0) + (initial?.height ?? 0) / 2 },
  };
}

/** The height of a box leaves a gap between the arrows of one side. */
function sizeOf(phase: string, { arrows, loops }: Graph): PhaseSize {
  const name = fitText(phase, MAX_COLUMNS);
  const loop = loops.find(({ from }) => from === phase);
  const lines = loop === undefined ? [] : labelOf(loop);
  const above = loop === undefined ? 0 : LOOP_HEIGHT + lines.length * LINE_HEIGHT;
  const most = Math.max(
    arrows.filter(({ from }) => from === phase).length,
    arrows.filter(({ to }) => to === phase).length,
  );
  const widest = Math.max(name.width + 24, ...lines.map(({ width }) => width + 8));
  return {
    name,
    width: Math.ceil(Math.max(84, widest)),
    height: Math.max(BOX_HEIGHT, (most + 1) * PORT_GAP) + above,
    above,
  };
}

function labelSize(arrow: Arrow): Size {
  const lines = labelOf(arrow);
  return {
    width: Math.ceil(Math.max(0, ...lines.map(({ width }) => width + 8))),
    height: lines.length === 0 ? 0 : lines.length * LINE_HEIGHT + 6,
  };
}
