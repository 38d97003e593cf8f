import type { Context, TypedResponse } from 'hono';
import type { JSONParsed } from 'hono/utils/types';
import { beginTimeSlice, type TimeSlice } from '../kernel/time/time-slice.ts';

/** The answer of a route by its schema. */
export type JsonAnswer<Answer> = Response & TypedResponse<JSONParsed<Answer>, 200, 'json'>;

/** Answers JSON that was put together piece by piece: at once, it would hold up webhooks. */
export function sendJson<Answer>(c: Context, pieces: readonly string[]): JsonAnswer<Answer> {
  c.header('content-type', 'application/json');
  return c.body(pieces.join(''), 200) as Response as JsonAnswer<Answer>;
}

/** Rows as members of a JSON array, made one by one with others' turns in between. */
export async function rowPieces<Row>(
  rows: readonly Row[],
  view: (row: Row) => unknown,
  slice: TimeSlice = beginTimeSlice(),
): Promise<string[]> {
  const pieces: string[] = [];
  for (const row of rows) {
    pieces.push(`${pieces.length === 0 ? '' : ','}${JSON.stringify(view(row))}`);
    if (slice.isOver()) await slice.next();
  }
  return pieces;
}
