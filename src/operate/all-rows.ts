import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

const PAGE = 500;

/** Every row of a list, read page by page, with other work's turn in between. */
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
    // Reads of the store block, and a promise that is kept already gives nobody else a turn.
    await turnOfTheLoop();
  }
}
