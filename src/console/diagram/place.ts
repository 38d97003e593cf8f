/** Places the phases and leads the arrows of a diagram, with dagre. */
import * as dagre from '@dagrejs/dagre';
import type { Arrow, Graph } from './graph.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The middle of a box that is as wide as its column, so that no line passes beside a narrow box and over a wide one. */
export type CenteredBox = Point & Size;

/** The route of an arrow between its two boxes. */
export interface ArrowRoute {
  /** The middles of the columns that it passes, with their widths, in its own direction. */
  readonly passes: readonly (Point & Pick<Size, 'width'>)[];
  /** The middle of its label; null without one. */
  readonly label: Point | null;
}

export interface PlacedGraph {
  readonly boxAt: ReadonlyMap<string, CenteredBox>;
  readonly routes: ReadonlyMap<Arrow, ArrowRoute>;
  /** The lower right corner. */
  readonly end: Point;
}

/** What is used of dagre. Its own types name files without extensions, which Node's resolution does not find. */
interface Dagre {
  readonly Graph: new () => DagreGraph;
  readonly layout: (graph: DagreGraph) => void;
}

interface DagreGraph {
  setGraph(settings: object): void;
  setNode(id: string, size: Size): void;
  setEdge(from: string, to: string, label: Size & { readonly labelpos: 'c'; readonly weight?: number }): void;
  /** What the nodes and labels take. */
  graph(): Size;
  node(id: string): CenteredBox;
  /** A label without a size has no coordinates. */
  edge(from: string, to: string): Size & Partial<Point> & { readonly points: readonly Point[] };
}

const { Graph: DagreGraph, layout } = dagre as Dagre;

/**
 * Places phases in columns from left to right, and labels in columns between them. Arrows that close a circle lead
 * back.
 *
 * @param origin the upper left corner of what is placed
 */
export function placeGraph(
  { initial, phases, arrows }: Graph,
  sizes: { readonly phase: (phase: string) => Size; readonly label: (arrow: Arrow) => Size },
  origin: Point,
): PlacedGraph {
  const graph = new DagreGraph();
  graph.setGraph({ rankdir: 'LR', nodesep: 18, edgesep: 10, ranksep: 46 });
  // Phases are any text, but dagre keeps its nodes as members of an object.
  const ids = new Map(phases.map((phase, index) => [phase, `phase ${String(index)}`]));
  const idOf = (phase: string): string => ids.get(phase) ?? '';
  for (const phase of phases) graph.setNode(idOf(phase), { ...sizes.phase(phase) });
  for (const arrow of arrows)
    graph.setEdge(idOf(arrow.from), idOf(arrow.to), { ...sizes.label(arrow), labelpos: 'c' });
  // The initial phase stands first: the line from the start comes from its left.
  const led = new Set(arrows.map(({ to }) => to));
  for (const phase of phases)
    if (phase !== initial && !led.has(phase))
      graph.setEdge(idOf(initial), idOf(phase), { width: 0, height: 0, labelpos: 'c', weight: 0 });
  layout(graph);

  const nodes = new Map(phases.map((phase) => [phase, graph.node(idOf(phase))]));
  const edges = new Map(
    arrows.map((arrow) => {
      const { points, x, y, width, height } = graph.edge(idOf(arrow.from), idOf(arrow.to));
      const label = x === undefined || y === undefined ? null : { x, y, width, height };
      // The first and last points are where dagre would have the arrow touch its boxes.
      return [arrow, { points: points.slice(1, -1), label }];
    }),
  );
  const columns = [...nodes.values(), ...[...edges.values()].flatMap(({ label }) => label ?? [])];
  const widthAt = (x: number): number =>
    Math.max(0, ...columns.flatMap((each) => (Math.abs(each.x - x) < 1 ? [each.width] : [])));
  // Arrows may pass above and below all boxes, which dagre does not count.
  const heights = [...edges.values()].flatMap(({ points }) => points.map(({ y }) => y));
  const top = Math.min(0, ...heights);
  const moved = <Each extends Point>(each: Each): Each => ({
    ...each,
    x: each.x + origin.x,
    y: each.y - top + origin.y,
  });
  return {
    end: moved({ x: graph.graph().width, y: Math.max(graph.graph().height, ...heights) }),
    boxAt: mapValues(nodes, (node) => moved({ ...node, width: widthAt(node.x) })),
    routes: mapValues(edges, ({ points, label }) => ({
      // A line bends through a column in which nothing stands.
      passes: points
        .map((point) => ({ ...moved(point), width: widthAt(point.x) }))
        .filter(({ width }) => width > 0),
      label: label === null ? null : moved(label),
    })),
  };
}

function mapValues<Key, From, To>(
  map: ReadonlyMap<Key, From>,
  to: (value: From) => To,
): ReadonlyMap<Key, To> {
  return new Map([...map].map(([key, value]) => [key, to(value)]));
}
