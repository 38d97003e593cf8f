import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TransitionTable } from '../../handle/define/transition-table.ts';
import { arrowKey, layOut, type Layout, type Move, type PhaseBox } from './layout.ts';

const phase = fc.oneof(
  fc.constantFrom('none', 'pending', 'issued', 'rejected', 'failed', 'filed', 'review', 'closed'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
);
const move = fc.record({ from: phase, on: phase, to: phase });
const tables: fc.Arbitrary<TransitionTable> = fc.record({
  initial: phase,
  transitions: fc.array(move, { maxLength: 25 }),
});
const made: fc.Arbitrary<readonly Move[]> = fc.array(fc.record({ from: phase, to: phase }), { maxLength: 4 });

/** Lays out a table that is small enough to draw. */
function laidOut(table: TransitionTable, moves: readonly Move[] = []): Layout {
  const layout = layOut(table, moves);
  if (layout === null) throw new Error('the table is too large');
  return layout;
}

/** The points that a line certainly passes. */
function pointsOf(path: string): readonly { readonly x: number; readonly y: number }[] {
  return [...path.matchAll(/(?:M|C[-\d.]+ [-\d.]+ [-\d.]+ [-\d.]+ )(-?[\d.]+) (-?[\d.]+)/gu)].map(
    ([, x, y]) => ({ x: Number(x), y: Number(y) }),
  );
}

/** How far a point is inside a box; below 0 it is outside. */
function depthIn(box: PhaseBox, { x, y }: { readonly x: number; readonly y: number }): number {
  return Math.min(box.width / 2 - Math.abs(x - box.x), box.height / 2 - Math.abs(y - box.y));
}

describe('the layout of any table of moves', () => {
  it('has one box for each phase, and one arrow with all signals for each two', () => {
    fc.assert(
      fc.property(tables, made, (table, moves) => {
        const { boxes, arrows } = laidOut(table, moves);
        const drawn = [...table.transitions, ...moves.filter(({ from, to }) => from !== to)];
        const phases = new Set([table.initial, ...drawn.flatMap(({ from, to }) => [from, to])]);
        expect(boxes.map((box) => box.phase).toSorted()).toEqual([...phases].toSorted());
        const signals = new Map(drawn.map((each) => [arrowKey(each), new Set<string>()]));
        for (const each of table.transitions) signals.get(arrowKey(each))?.add(each.on);
        expect(arrows).toHaveLength(signals.size);
        expect(new Map(arrows.map((arrow) => [arrowKey(arrow), new Set(arrow.signals)]))).toEqual(signals);
      }),
    );
  });

  it('lays no box on another, and leads each arrow from its phase to the next, around others, in the picture', () => {
    fc.assert(
      fc.property(tables, made, (table, moves) => {
        const { boxes, arrows, left, top, width, height } = laidOut(table, moves);
        for (const [at, box] of boxes.entries())
          for (const other of boxes.slice(at + 1))
            expect(Math.abs(box.x - other.x) >= box.width || Math.abs(box.y - other.y) >= box.height).toBe(
              true,
            );
        for (const { from, to, line, label } of arrows) {
          const points = pointsOf(line);
          for (const box of boxes) {
            // The head stands between the line and the box.
            const isEnd = box.phase === from || box.phase === to;
            if (isEnd) expect(points.some((point) => depthIn(box, point) > -8)).toBe(true);
            else for (const point of points) expect(depthIn(box, point)).toBeLessThanOrEqual(1);
          }
          const corners = [...boxes, label].flatMap(({ x, y, width: w, height: h }) => [
            { x: x - w / 2, y: y - h / 2 },
            { x: x + w / 2, y: y + h / 2 },
          ]);
          for (const { x, y } of [...points, ...corners])
            expect(x >= left && x <= left + width && y >= top && y <= top + height).toBe(true);
        }
      }),
    );
  });

  it('is the same each time', () => {
    fc.assert(
      fc.property(tables, made, (table, moves) => {
        expect(laidOut(table, moves)).toEqual(laidOut(structuredClone(table), moves));
      }),
    );
  });
});

describe('a table of moves', () => {
  const chain = (length: number): TransitionTable => ({
    initial: 'p0',
    transitions: Array.from({ length }, (_, at) => ({
      from: `p${String(at)}`,
      on: at === 0 ? 'p1' : 'next',
      to: `p${String(at + 1)}`,
    })),
  });

  it('reads from left to right, with no label that is the name of the phase', () => {
    const { boxes, arrows } = laidOut(chain(5));
    const places = boxes.map(({ x }) => x);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(new Set(boxes.map(({ y }) => y)).size).toBe(1);
    expect(arrows.map(({ label }) => label.lines)).toEqual([[], ['next'], ['next'], ['next'], ['next']]);
  });

  it('keeps a move that it lacks apart from its own', () => {
    const { arrows } = laidOut(chain(2), [
      { from: 'p2', to: 'p0' },
      { from: 'p0', to: 'p1' },
    ]);
    expect(arrows.map(({ from, to, expected }) => [from, to, expected])).toEqual([
      ['p0', 'p1', true],
      ['p1', 'p2', true],
      ['p2', 'p0', false],
    ]);
  });

  it('is not drawn when nobody could read the picture', () => {
    expect(layOut(chain(59))).not.toBeNull();
    expect(layOut(chain(60))).toBeNull();
  });
});
