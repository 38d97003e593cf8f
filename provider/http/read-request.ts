import type { Context } from 'hono';
import { z } from 'zod';
import { conditionsIn, type Condition } from '../../src/contract/api/filter.ts';
import {
  isOptionalBody,
  queryOf,
  type BodyOf,
  type ParamsOf,
  type QueryOf,
  type RequestShape,
} from '../../src/contract/api/endpoint.ts';
import { firstPage, type Page } from '../../src/contract/api/page.ts';
import { isEmptyBody, readBody } from './read-body.ts';
import { Refusal } from './refusal.ts';

/** What is left of a request once it fits its endpoint's declaration. */
export interface ReadRequest<E extends RequestShape> {
  readonly params: ParamsOf<E>;
  /** The first page where none is asked for, and for what is no list. */
  readonly page: Page;
  readonly conditions: readonly Condition[];
  /** The endpoint's own parameters of the query string; pages and filters are above. */
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
}

/** @returns how to read the endpoint's requests; that throws a Refusal with all that does not fit. */
export function requestReader<E extends RequestShape>(endpoint: E): (c: Context) => Promise<ReadRequest<E>> {
  const query = queryOf(endpoint);
  const filters = endpoint.filters ?? {};
  const allowed = Object.keys(query.shape);
  const fields = endpoint.body === null ? [] : fieldsOf(endpoint.body);
  const optional = endpoint.body !== null && isOptionalBody(endpoint.body);
  const bodyOf = async (c: Context) =>
    optional && (await isEmptyBody(c)) ? undefined : readBody(c, endpoint.bodyType);

  return async (c) => {
    const params = fitting(endpoint.params, c.req.param(), []);
    const read = fitting(query, single(c.req.queries()), allowed);
    const page = {
      page: numberIn(read, 'pagination[page]') ?? firstPage.page,
      size: numberIn(read, 'pagination[size]') ?? firstPage.size,
    };
    const body = endpoint.body === null ? null : fitting(endpoint.body, await bodyOf(c), fields);
    const request = { params, page, conditions: conditionsIn(filters, read), query: read, body };
    // The schemas are the endpoint's own, which TypeScript cannot follow through a type parameter.
    return request as ReadRequest<E>;
  };
}

/** A parameter given once is text; one given again is an array, which no schema takes. */
function single(queries: Readonly<Record<string, string[]>>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

function fitting<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  allowed: readonly string[],
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Refusal(400, result.error.issues.map((issue) => explained(issue, allowed)).join('; '));
}

/** Those that a body can have, for whoever sent another; most bodies take any. */
function fieldsOf(schema: unknown): readonly string[] {
  if (schema instanceof z.ZodOptional) return fieldsOf(schema.unwrap());
  if (schema instanceof z.ZodUnion) return [...new Set(schema.options.flatMap(fieldsOf))];
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function explained(issue: z.core.$ZodIssue, allowed: readonly string[]): string {
  if (issue.code === 'unrecognized_keys') {
    const takes = allowed.length === 0 ? 'takes no parameters' : `takes ${allowed.join(', ')}`;
    return `${issue.keys.join(', ')}: not a parameter of this endpoint, which ${takes}`;
  }
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}

function numberIn(read: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = read[name];
  return typeof value === 'number' ? value : undefined;
}
