import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { TalliedHistogram } from './tallied-histogram.ts';

const named = { name: 'handler_seconds', help: 'Time of one try.', buckets: [0.005, 0.5, 1] };
const bounds = fc.constantFrom(0.005, 0.5, 1);
const seconds = fc.oneof(bounds, fc.double({ min: 0, max: 3, noNaN: true }));

it('tells what one of prom-client tells of the same values', async () => {
  const label = fc.constantFrom('a', 'b', '202');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(seconds, label, label)), async (values) => {
      const [registry, plainRegistry] = [new Registry(), new Registry()];
      const labelNames = ['handler', 'result'] as const;
      const tallied = new TalliedHistogram({ ...named, labelNames, registers: [registry] });
      const plain = new Histogram({ ...named, labelNames, registers: [plainRegistry] });
      for (const [value, handler, result] of values) {
        tallied.record(value, handler, result);
        plain.observe({ handler, result }, value);
      }
      expect(await registry.metrics()).toBe(await plainRegistry.metrics());
      expect(await registry.metrics()).toBe(await plainRegistry.metrics());
    }),
  );
});

it('without labels, does so from before the first value', async () => {
  const [registry, plainRegistry] = [new Registry(), new Registry()];
  const tallied = new TalliedHistogram({ ...named, labelNames: [], registers: [registry] });
  const plain = new Histogram({ ...named, registers: [plainRegistry] });
  expect(await registry.metrics()).toBe(await plainRegistry.metrics());
  tallied.record(0.5);
  plain.observe(0.5);
  expect(await registry.metrics()).toBe(await plainRegistry.metrics());
});
