/** Pages of the lists of `/control`: their rows, cursors and filter by status. */
import { LIMIT } from './control-rows.ts';

/** Splits what was read into the rows of a page and the `after` of the next one; null on the last. */
export function pageOf<Row extends { readonly id: number }>(
  read: readonly Row[],
): { readonly rows: readonly Row[]; readonly next: string | null } {
  const rows = read.slice(0, LIMIT);
  const last = rows.at(-1);
  return { rows, next: read.length > LIMIT && last !== undefined ? String(last.id) : null };
}

/** The id of the last row of the page before; null on the first page, and for what is no id. */
export function cursorOf({ searchParams }: URL): number | null {
  const after = searchParams.get('after') ?? '';
  return /^\d{1,15}$/u.test(after) ? Number(after) : null;
}

/** The `status` of an address; undefined when it is none of these. */
export function statusOf<Status extends string>(
  { searchParams }: URL,
  statuses: readonly Status[],
): Status | undefined {
  return statuses.find((each) => each === searchParams.get('status'));
}
