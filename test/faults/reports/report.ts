/**
 * What people report of receivers, queues and inboxes, tried on this program. A row is a report: what was given, and
 * what is right.
 *
 * To add a row: take the file whose subject it is, or begin one with this head. Give what the report gave, in the form
 * that a user gives it (a variable, a file, a signal, a target), expect the right value, and see the row fail before the
 * fix: `npx vitest run --project faults test/faults/reports`. Rows are decided by order and state, and take a second or
 * two. The cases beside the reported one are in the same row, or are units beside the source.
 */
import { test, type TestContext } from 'vitest';

export function report(given: string, right: string, check: (context: TestContext) => Promise<void>): void {
  test(`given ${given}: ${right}`, check);
}
