import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TransitionTable } from '../../handle/define/transition-table.ts';
import type { PhaseBox } from './arrows.ts';
import { arrowKey, graphOf, type Graph, type Move } from './graph.ts';
import { layOut } from './layout.ts';

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

/** The graph of a table that is small enough to draw. */
function graph(table: TransitionTable, moves: readonly Move[] = []): Graph {
  const found = graphOf(table, moves);
  if (found === null) throw new Error('the table is too large');
  return found;
}

function overlap(one: PhaseBox, other: PhaseBox): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/** The points of a path that its line certainly passes. */
function pointsOf(path: string): readonly { readonly x: number; readonly y: number }[] {
  return [...path.matchAll(/(?:[ML]|C[-\d. ]+? [-\d.]+ [-\d.]+ [-\d.]+ )(-?[\d.]+) (-?[\d.]+)/gu)].map(
    ([, x, y]) => ({ x: Number(x), y: Number(y) }),
  );
}

describe('the layout of any table of moves', () => {
  it('has one box for each phase, and no two overlap', () => {
    fc.assert(
      fc.property(tables, made, (table, moves) => {
        const { boxes } = layOut(graph(table, moves));
        const phases = new Set([
          table.initial,
          ...table.transitions.flatMap(({ from, to }) => [from, to]),
          ...moves.filter(({ from, to }) => from !== to).flatMap(({ from, to }) => [from, to]),
        ]);
        expect(new Set(boxes.map((box) => box.phase))).toEqual(phases);
        expect(boxes).toHaveLength(phases.size);
        for (const [at, box] of boxes.entries())
          for (const other of boxes.slice(at + 1)) expect(overlap(box, other)).toBe(false);
      }),
    );
  });

  it('draws every move, once for each two phases, with all signals', () => {
    fc.assert(
      fc.property(tables, (table) => {
        const { arrows } = layOut(graph(table));
        const wanted = new Map<string, Set<string>>();
        for (const each of table.transitions) {
          const signals = wanted.get(arrowKey(each)) ?? new Set();
          wanted.set(arrowKey(each), signals.add(each.on));
        }
        expect(new Map(arrows.map(({ arrow }) => [arrowKey(arrow), new Set(arrow.signals)]))).toEqual(wanted);
        expect(arrows).toHaveLength(wanted.size);
      }),
    );
  });

  it('leads each arrow from its phase to the next, within the picture', () => {
    fc.assert(
      fc.property(tables, made, (table, moves) => {
        const { boxes, arrows, width, height } = layOut(graph(table, moves));
        for (const { arrow, line } of arrows) {
          const points = pointsOf(line);
          const ends = [points[0], points.at(-1)];
          for (const name of [arrow.from, arrow.to]) {
            const box = boxes.find((each) => each.phase === name);
            // The head stands between the line and the box.
            expect(
              ends.some(
                (end) =>
                  box !== undefined &&
                  end !== undefined &&
                  end.x >= box.x - 8 &&
                  end.x <= box.x + box.width + 8 &&
                  end.y >= box.y - 8 &&
                  end.y <= box.y + box.height + 8,
              ),
            ).toBe(true);
          }
          for (const { x, y } of points) {
            expect(x >= 0 && x <= width).toBe(true);
            expect(y >= 0 && y <= height).toBe(true);
          }
        }
        for (const { x, y, width: w, height: h } of boxes)
          expect(x >= 0 && y >= 0 && x + w <= width && y + h <= height).toBe(true);
      }),
    );
  });

  it('leads no line through a box that it does not belong to', () => {
    fc.assert(
      fc.property(tables, (table) => {
        const { boxes, arrows } = layOut(graph(table));
        for (const { arrow, line } of arrows)
          for (const { x, y } of pointsOf(line))
            for (const box of boxes.filter((each) => each.phase !== arrow.from && each.phase !== arrow.to))
              expect(
                x > box.x + 1 && x < box.x + box.width - 1 && y > box.y + 1 && y < box.y + box.height - 1,
              ).toBe(false);
      }),
    );
  });

  it('is the same each time', () => {
    fc.assert(
      fc.property(tables, made, (table, moves) => {
        expect(layOut(graph(table, moves))).toEqual(layOut(graph(structuredClone(table), moves)));
      }),
    );
  });
});

describe('a table of moves', () => {
  const chain = (length: number): TransitionTable => ({
    initial: 'p0',
    transitions: Array.from({ length }, (_, at) => ({
      from: `p${String(at)}`,
      on: 'next',
      to: `p${String(at + 1)}`,
    })),
  });

  it('reads from left to right', () => {
    const { boxes } = layOut(graph(chain(5)));
    const places = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5'].map(
      (name) => boxes.find((box) => box.phase === name)?.x,
    );
    expect(places).toEqual(places.toSorted((one, other) => Number(one) - Number(other)));
    expect(new Set(boxes.map(({ y }) => y)).size).toBe(1);
  });

  it('shows no label where the signal is the name of the phase', () => {
    const { arrows } = layOut(
      graph({
        initial: 'none',
        transitions: [
          { from: 'none', on: 'pending', to: 'pending' },
          { from: 'pending', on: 'payment', to: 'paid' },
        ],
      }),
    );
    expect(arrows.map(({ label }) => label.map(({ text }) => text))).toEqual([[], ['payment']]);
  });

  it('keeps a move that it lacks apart from its own', () => {
    const { arrows } = layOut(
      graph(chain(2), [
        { from: 'p2', to: 'p0' },
        { from: 'p0', to: 'gone' },
      ]),
    );
    expect(arrows.map(({ arrow }) => [arrow.from, arrow.to, arrow.expected])).toEqual([
      ['p0', 'p1', true],
      ['p1', 'p2', true],
      ['p2', 'p0', false],
      ['p0', 'gone', false],
    ]);
  });

  it('is not drawn when nobody could read the picture', () => {
    expect(graphOf(chain(59))).not.toBeNull();
    expect(graphOf(chain(60))).toBeNull();
  });
});
