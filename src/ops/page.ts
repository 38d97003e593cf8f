import { z } from 'zod';

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

/** Reads one page: one row more than asked for tells whether there is another. */
export async function readPage<Row extends { readonly id: string }, View>(
  { limit, cursor, order }: PageRequest,
  read: (page: {
    readonly order: 'newest' | 'oldest';
    readonly limit: number;
    readonly after?: string;
  }) => Promise<readonly Row[]>,
  view: (row: Row) => View,
): Promise<{ data: View[]; next: string | null }> {
  const found = await read({ order, limit: limit + 1, ...(cursor !== undefined && { after: cursor }) });
  const rows = found.slice(0, limit);
  return { data: rows.map(view), next: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
}
