import type { Endpoint } from '../contract/api/endpoint.ts';
import { PortariaError } from '../kernel/errors.ts';
import { filterQuery } from './filter-query.ts';
import { isScalar } from './scalar.ts';

/** What an endpoint is asked beside path and body: page, size and filters of a list, or parameters of its own. */
export type Query = Readonly<Record<string, unknown>>;

/** The largest page (specification, Limits). */
export const MAX_PAGE = 100;

/**
 * The query string, with its question mark; empty when nothing is asked.
 *
 * @throws PortariaError `invalid-argument` for what the endpoint does not take.
 */
export function queryText(endpoint: Endpoint, query: Query): string {
  const parameters =
    endpoint.filters === null ? ownParameters(endpoint, query) : listParameters(endpoint, query);
  const text = new URLSearchParams(parameters).toString();
  return text === '' ? '' : `?${text}`;
}

function listParameters({ operationId, filters }: Endpoint, query: Query): [string, string][] {
  const { filters: given, page, size, ...others } = query;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw notAsked(operationId, unknown);
  // The two go together (specification, Conventions 5).
  const pages =
    page === undefined && size === undefined
      ? {}
      : { 'pagination[page]': page ?? 1, 'pagination[size]': size ?? MAX_PAGE };
  return [...texts(operationId, pages), ...filterQuery(filters ?? {}, given ?? {})];
}

function ownParameters({ operationId, query: { shape } }: Endpoint, query: Query): [string, string][] {
  const unknown = Object.keys(query).find((name) => !Object.hasOwn(shape, name));
  if (unknown !== undefined) throw notAsked(operationId, unknown);
  return texts(operationId, query);
}

function texts(operation: string, parameters: Query): [string, string][] {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => {
    if (!isScalar(value)) throw notAsked(operation, name);
    return [name, String(value)];
  });
}

function notAsked(operation: string, name: string): PortariaError {
  return new PortariaError('invalid-argument', `${operation} cannot be asked that: ${name}`);
}
