import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inPages, pages, wholeList, type Limit, type Page } from './pages.ts';

const store = (total: number) => {
  const rows = Array.from({ length: total }, (_, index) => ({ id: String(index) }));
  return ({ limit, after }: { readonly limit: number; readonly after?: string }) => {
    const start = after === undefined ? 0 : Number(after) + 1;
    return Promise.resolve(rows.slice(start, start + limit));
  };
};

test('a list of any length gives each row once, in order, and is cut only if more rows exist', async () => {
  const limits = fc.oneof(fc.constant<Limit>('all'), fc.integer({ min: 1, max: 1600 }));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 1600 }), limits, async (total, limit) => {
      const read = await collect(pages(limit, store(total)));
      const shown = limit === 'all' ? total : Math.min(limit, total);
      expect(read.rows.map(({ id }) => Number(id))).toEqual(Array.from({ length: shown }, (_, at) => at));
      expect(read.cut).toBe(shown < total);
    }),
    {
      numRuns: 50,
      examples: [
        [500, 500],
        [501, 500],
        [1000, 'all'],
        [0, 1],
      ],
    },
  );
});

test('a list in memory is cut at its limit', async () => {
  expect(await collect(wholeList([1, 2, 3], 2))).toEqual({ rows: [1, 2], cut: true });
  expect(await collect(wholeList([1, 2, 3], 3))).toEqual({ rows: [1, 2, 3], cut: false });
  expect(await collect(wholeList([]))).toEqual({ rows: [], cut: false });
});

test('collects rows that arrive one by one without losing any', async () => {
  const numbers = Array.from({ length: 1203 }, (_, at) => at);
  expect((await collect(inPages(stream(numbers)))).rows).toEqual(numbers);
});

async function collect<Row>(list: AsyncIterable<Page<Row>>): Promise<{ rows: Row[]; cut: boolean }> {
  const rows: Row[] = [];
  let cut = false;
  for await (const page of list) {
    expect(cut, 'no page follows the cut').toBe(false);
    rows.push(...page.rows);
    cut = page.cut;
  }
  return { rows, cut };
}

async function* stream<Row>(rows: readonly Row[]): AsyncGenerator<Row> {
  for (const row of rows) yield await Promise.resolve(row);
}
