/** The responses of the operators' API, and their schemas for OpenAPI. */
import type { Context, TypedResponse } from 'hono';
import type { JSONParsed } from 'hono/utils/types';
import { z } from 'zod';
import { beginTimeSlice, type TimeSlice } from '../kernel/time/time-slice.ts';
import { readPage } from '../kernel/row-pages.ts';
import { issueSchema } from '../view/quarantine-view.ts';

// What routes declare in the OpenAPI document

/** The body of every error response. */
export const errorSchema = z
  .object({
    error: z.string().describe('The status in words.'),
    message: z.string().describe('What is wrong, and what to do.'),
    issues: z.array(issueSchema).optional().describe('Each invalid parameter.'),
  })
  .meta({ id: 'Failure', description: 'Why the request failed.' });

export type ErrorBody = z.infer<typeof errorSchema>;

/** A JSON response of an OpenAPI route. */
export function json<S extends z.ZodType>(schema: S, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

/** The body of a page of a list. */
export function pageOf<S extends z.ZodType>(row: S) {
  return z.object({
    data: z.array(row).describe('The rows.'),
    next: z.string().nullable().describe('The `cursor` of the next page; null after the last.'),
  });
}

/** Bytes of a request body, as an OpenAPI response. */
export const wholeBody = {
  description: 'The bytes.',
  content: { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } },
};

const errors = {
  400: json(errorSchema, 'Invalid parameters.'),
  401: json(errorSchema, 'The token is missing or wrong.'),
  403: json(errorSchema, 'A web page of another origin, or without a token a name that is not loopback.'),
  404: json(errorSchema, 'Not found.'),
  415: json(errorSchema, 'Changes need application/json.'),
  500: json(errorSchema, 'Unexpected error.'),
  503: json(errorSchema, 'The store is not available now; try again.'),
};

/** Errors of every route that reads a list. */
export const listErrors = pick(400, 401, 403, 500, 503);

/** Errors of every route that reads one thing. */
export const showErrors = pick(400, 401, 403, 404, 500, 503);

/** Errors of every route that changes something. */
export const changeErrors = pick(400, 401, 403, 404, 415, 500, 503);

function pick<C extends keyof typeof errors>(...codes: C[]): Pick<typeof errors, C> {
  return Object.fromEntries(codes.map((code) => [code, errors[code]])) as Pick<typeof errors, C>;
}

// What routes send

/** A response that matches the schema of its route. */
export type JsonResponse<Body> = Response & TypedResponse<JSONParsed<Body>, 200, 'json'>;

/** Sends JSON that was serialized in pieces: serializing a large body at once would delay webhooks. */
export function sendJson<Body>(c: Context, pieces: readonly string[]): JsonResponse<Body> {
  c.header('content-type', 'application/json');
  return c.body(pieces.join(''), 200) as Response as JsonResponse<Body>;
}

interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly order: 'newest' | 'oldest';
}

/** Sends one page. */
export async function sendPage<Row extends { readonly id: string }, View>(
  c: Context,
  { limit, cursor, order }: PageRequest,
  read: (page: {
    readonly order: 'newest' | 'oldest';
    readonly limit: number;
    readonly after?: string;
  }) => Promise<readonly Row[]>,
  view: (row: Row) => View,
  more: { readonly partial?: boolean | undefined } = {},
): Promise<JsonResponse<{ data: View[]; next: string | null; partial?: boolean }>> {
  const { rows, next } = await readPage(limit, cursor, (page) => read({ order, ...page }));
  return sendJson<{ data: View[]; next: string | null; partial?: boolean }>(c, [
    '{"data":[',
    ...(await serializeRows(rows, view)),
    `],${JSON.stringify({ next, ...more }).slice(1)}`,
  ]);
}

/** Serializes rows as members of a JSON array, in time slices. */
export async function serializeRows<Row>(
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

/** Sends bytes of an unknown sender: no browser may interpret them. */
export function sendBytes(c: Context, body: Uint8Array): Response {
  c.header('content-type', 'application/octet-stream');
  c.header('content-disposition', 'attachment');
  return c.body(new Uint8Array(body));
}
