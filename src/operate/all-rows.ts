import { setImmediate as nextTick } from 'node:timers/promises';

const PAGE = 500;

/** Reads all rows of a list in pages, and yields to the event loop between pages. */
export async function allRows<Row extends { readonly id: string }>(
  read: (page: {
    readonly order: 'oldest';
    readonly limit: number;
    readonly after?: string;
  }) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const after = rows.at(-1)?.id;
    const page = await read({ order: 'oldest', limit: PAGE, ...(after !== undefined && { after }) });
    rows.push(...page);
    if (page.length < PAGE) return rows;
    // Resolved promises alone would not let other work run.
    await nextTick();
  }
}
