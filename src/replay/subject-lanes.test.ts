import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inSubjectLanes } from './subject-lanes.ts';

interface Item {
  readonly key: string;
  readonly number: number;
}

const streams = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 120 })
  .map((keys) => keys.map((key, number): Item => ({ key, number })));

test('items of a key run in order without overlap, and never more than the limit at a time', async () => {
  await fc.assert(
    fc.asyncProperty(
      streams,
      fc.integer({ min: 1, max: 5 }),
      fc.scheduler(),
      async (items, concurrency, s) => {
        const done: Item[] = [];
        const running = new Set<string>();
        const work = inSubjectLanes(stream(items), {
          concurrency,
          signal: new AbortController().signal,
          keyOf: ({ key }) => key,
          async run(item) {
            expect(running.has(item.key)).toBe(false);
            running.add(item.key);
            expect(running.size).toBeLessThanOrEqual(concurrency);
            await s.schedule(Promise.resolve());
            running.delete(item.key);
            done.push(item);
          },
        });
        await s.waitFor(work);
        for (const key of ['a', 'b', 'c', 'd'])
          expect(done.filter((item) => item.key === key)).toEqual(items.filter((item) => item.key === key));
        expect(done).toHaveLength(items.length);
      },
    ),
    { numRuns: 60 },
  );
});

test('an aborted signal lets running items end and starts no more', async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  await inSubjectLanes(stream(['a', 'a', 'b', 'c'].map((key, number) => ({ key, number }))), {
    concurrency: 1,
    signal: stop.signal,
    keyOf: ({ key }) => key,
    run({ number }) {
      begun.push(number);
      stop.abort();
      return Promise.resolve();
    },
  });
  expect(begun).toEqual([0]);
});

test('the stream is not read beyond a bound', async () => {
  let read = 0;
  let furthest = 0;
  let finished = 0;
  async function* endless(): AsyncGenerator<Item> {
    for (; read < 1000; read += 1) yield await Promise.resolve({ key: 'same', number: read });
  }
  await inSubjectLanes(endless(), {
    concurrency: 2,
    signal: new AbortController().signal,
    keyOf: ({ key }) => key,
    run() {
      furthest = Math.max(furthest, read - finished);
      finished += 1;
      return Promise.resolve();
    },
  });
  expect(finished).toBe(1000);
  expect(furthest).toBeLessThanOrEqual(32);
});

async function* stream(items: readonly Item[]): AsyncGenerator<Item> {
  for (const item of items) yield await Promise.resolve(item);
}
