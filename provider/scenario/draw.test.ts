import { expect, test } from 'vitest';
import { drawFor, odds, type Chance } from './pace-and-odds.ts';

const chances = Object.keys(odds) as Chance[];
const steps = Array.from({ length: 2_000 }, (_, id) => `charge-slip:${String(id)}:0`);

test('decides the same for a step, in any order', () => {
  const draw = drawFor(7, 'charge-slip:1:0');
  const first = chances.map((chance) => draw.happens(chance));

  const again = drawFor(7, 'charge-slip:1:0');
  const backwards = [...chances].reverse().map((chance) => again.happens(chance));

  expect(backwards.reverse()).toEqual(first);
  expect(draw.numbers('import')()).toBe(again.numbers('import')());
});

test('decides differently for other seeds, steps and rounds', () => {
  const numbers = [
    drawFor(7, 'charge-slip:1:0'),
    drawFor(8, 'charge-slip:1:0'),
    drawFor(7, 'charge-slip:2:0'),
    drawFor(7, 'charge-slip:1:1'),
    drawFor(7, 'antt-ticket:1:0'),
  ].map((draw) => draw.numbers('any')());

  expect(new Set(numbers).size).toBe(numbers.length);
});

test('keeps the generators of different names independent', () => {
  const one = drawFor(7, 'step').numbers('plate');
  const other = drawFor(7, 'step');
  const undisturbed = [one(), one(), one()];

  const plates = other.numbers('plate');
  const mixed = [plates(), other.numbers('place')(), plates(), plates()];

  expect([mixed[0], mixed[2], mixed[3]]).toEqual(undisturbed);
  expect(new Set(undisturbed).size).toBe(3);
});

test.each(chances)('"%s" happens as often as its odds say, over many steps', (chance) => {
  const share = steps.filter((step) => drawFor(7, step).happens(chance)).length / steps.length;

  // Four standard deviations: what is right is hardly ever outside, what is wrong nearly always.
  const spread = 4 * Math.sqrt((odds[chance] * (1 - odds[chance])) / steps.length);
  expect(Math.abs(share - odds[chance])).toBeLessThan(spread);
});

test('decides the outcomes of one step independently', () => {
  const draws = steps.map((step) => drawFor(7, step));
  const both = draws.filter(
    (draw) => draw.happens('is paid on its last day') && draw.happens('is paid late'),
  );

  const expected = odds['is paid on its last day'] * odds['is paid late'];
  expect(both.length / draws.length).toBeCloseTo(expected, 1);
});
