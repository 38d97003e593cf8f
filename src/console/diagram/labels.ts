/** Places the labels of arrows in a diagram. */
import type { Arrow } from './graph.ts';
import type { Point } from './place.ts';
import { fitText, type FittedText } from './text-size.ts';

/** Pixels from a line of a label to the next. */
export const LINE_HEIGHT = 15;
/** Pixels above a box that the loop of its phase takes, without the label. */
export const LOOP_HEIGHT = 30;
const MAX_LINES = 4;
const MAX_COLUMNS = 22;

/** A line of an arrow's label, at its middle. */
export interface LabelLine {
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
export function labelLines(lines: readonly FittedText[], { x, y }: Point): readonly LabelLine[] {
  const first = y - ((lines.length - 1) * LINE_HEIGHT) / 2 + 4;
  return lines.map(({ text }, index) => ({
    x: Math.round(x),
    y: Math.round(first + index * LINE_HEIGHT),
    text,
  }));
}
