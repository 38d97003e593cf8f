import { setImmediate as turn } from 'node:timers/promises';

/** Follows a copy, and may end it between two pages. */
export interface CopyWatch {
  /** Called once with the number of rows to copy and to compare. */
  begin(total: number): void;
  /** Called after each page. */
  rows(count: number, what: string): void;
  readonly signal: AbortSignal;
}

/** Reports a page, and lets an interrupt arrive: SQLite works without a turn of the event loop. */
export async function afterPage(watch: CopyWatch, count: number, what: string): Promise<void> {
  watch.rows(count, what);
  await turn();
  watch.signal.throwIfAborted();
}
