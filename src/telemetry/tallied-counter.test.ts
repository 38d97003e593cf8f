import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { TalliedCounter } from './tallied-counter.ts';

function made(): {
  readonly counter: TalliedCounter<'source' | 'result' | 'status'>;
  readonly lines: () => Promise<readonly string[]>;
} {
  const registry = new Registry();
  const counter = new TalliedCounter({
    name: 'answers_total',
    help: 'Answers.',
    labelNames: ['source', 'result', 'status'],
    registers: [registry],
  });
  const lines = async () => (await registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line));
  return { counter, lines };
}

it('counts by every combination of labels', async () => {
  const { counter, lines } = made();
  for (const source of ['a', 'b']) {
    counter.inc(source, 'accepted', 202);
    counter.inc(source, 'accepted', 200);
    counter.inc(source, 'stale', 202);
    counter.inc(source, 'accepted', 202);
  }
  expect(await lines()).toEqual([
    'answers_total{source="a",result="accepted",status="202"} 2',
    'answers_total{source="a",result="accepted",status="200"} 1',
    'answers_total{source="a",result="stale",status="202"} 1',
    'answers_total{source="b",result="accepted",status="202"} 2',
    'answers_total{source="b",result="accepted",status="200"} 1',
    'answers_total{source="b",result="stale",status="202"} 1',
  ]);
});

it('goes on from what was told before, and tells it again when nothing has come', async () => {
  const { counter, lines } = made();
  const total = (count: number) => [
    `answers_total{source="a",result="accepted",status="202"} ${String(count)}`,
  ];
  counter.inc('a', 'accepted', 202);
  expect(await lines()).toEqual(total(1));
  expect(await lines()).toEqual(total(1));
  counter.inc('a', 'accepted', 202);
  counter.inc('a', 'accepted', 202);
  expect(await lines()).toEqual(total(3));
});

it('has no series before the first', async () => {
  expect(await made().lines()).toEqual([]);
});
