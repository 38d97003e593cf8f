import type { Context } from 'hono';
import { z } from 'zod';
import { rowPieces, sendJson, type JsonAnswer } from './long-answer.ts';

/** The parameters of every list. @param cursor what a row's id looks like. */
export function pageParameters(cursor: RegExp) {
  return {
    limit: z.coerce.number().int().min(1).max(1000).default(50).describe('At most so many rows.'),
    cursor: z
      .string()
      .regex(cursor, 'Not a cursor: send the `next` of the page before')
      .optional()
      .describe('Where to go on: `next` of the page before.'),
    order: z.enum(['newest', 'oldest']).default('newest').describe('Which rows come first.'),
  };
}

interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly order: 'newest' | 'oldest';
}

/** Answers one page: one row more than asked for tells whether there is another. */
export async function sendPage<Row extends { readonly id: string }, View>(
  c: Context,
  { limit, cursor, order }: PageRequest,
  read: (page: {
    readonly order: 'newest' | 'oldest';
    readonly limit: number;
    readonly after?: string;
  }) => Promise<readonly Row[]>,
  view: (row: Row) => View,
): Promise<JsonAnswer<{ data: View[]; next: string | null }>> {
  const found = await read({ order, limit: limit + 1, ...(cursor !== undefined && { after: cursor }) });
  const rows = found.slice(0, limit);
  const next = found.length > limit ? (rows.at(-1)?.id ?? null) : null;
  return sendJson<{ data: View[]; next: string | null }>(c, [
    '{"data":[',
    ...(await rowPieces(rows, view)),
    `],"next":${JSON.stringify(next)}}`,
  ]);
}
