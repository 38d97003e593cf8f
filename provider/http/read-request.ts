/** Reads requests to endpoints: path, query and body. */
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
import { firstPage, type Page } from '../../src/contract/api/response.ts';
import { isEmptyBody, readBody } from './read-body.ts';
import { HttpError } from './http-error.ts';

/** A request, parsed and validated by the declaration of its endpoint. */
export interface ReadRequest<E extends RequestShape> {
  readonly params: ParamsOf<E>;
  /** The first page by default, and for endpoints that are not lists. */
  readonly page: Page;
  readonly conditions: readonly Condition[];
  /** The endpoint's own query parameters, without page and filters. */
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
}

/** Returns a function that reads requests to an endpoint. It throws a HttpError that names every problem. */
export function requestReader<E extends RequestShape>(endpoint: E): (c: Context) => Promise<ReadRequest<E>> {
  const query = queryOf(endpoint);
  const filters = endpoint.filters ?? {};
  const allowed = Object.keys(query.shape);
  const fields = endpoint.body === null ? [] : fieldsOf(endpoint.body);
  const optional = endpoint.body !== null && isOptionalBody(endpoint.body);
  const bodyOf = async (c: Context) =>
    optional && (await isEmptyBody(c)) ? undefined : readBody(c, endpoint.bodyType);

  return async (c) => {
    const params = validated(endpoint.params, c.req.param(), []);
    const read = validated(query, single(c.req.queries()), allowed);
    const page = {
      page: numberIn(read, 'pagination[page]') ?? firstPage.page,
      size: numberIn(read, 'pagination[size]') ?? firstPage.size,
    };
    const body = endpoint.body === null ? null : validated(endpoint.body, await bodyOf(c), fields);
    const request = { params, page, conditions: conditionsIn(filters, read), query: read, body };
    // TypeScript does not relate the schemas to the type parameter.
    return request as ReadRequest<E>;
  };
}

/** A repeated parameter becomes an array, which no schema accepts. */
function single(queries: Readonly<Record<string, string[]>>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

function validated<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  allowed: readonly string[],
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new HttpError(400, result.error.issues.map((issue) => describe(issue, allowed)).join('; '));
}

/** Lists the fields of a body schema, for the error message about an unknown field. */
function fieldsOf(schema: unknown): readonly string[] {
  if (schema instanceof z.ZodOptional) return fieldsOf(schema.unwrap());
  if (schema instanceof z.ZodUnion) return [...new Set(schema.options.flatMap(fieldsOf))];
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function describe(issue: z.core.$ZodIssue, allowed: readonly string[]): string {
  if (issue.code === 'unrecognized_keys') {
    const known = allowed.length === 0 ? 'this endpoint has none' : `this endpoint has ${allowed.join(', ')}`;
    return `unknown parameter: ${issue.keys.join(', ')}; ${known}`;
  }
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}

function numberIn(read: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = read[name];
  return typeof value === 'number' ? value : undefined;
}
