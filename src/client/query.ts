/** Encodes the queries of calls. */
import type { Endpoint } from '../contract/api/endpoint.ts';
import { type Filters, filterParameter, operators } from '../contract/api/filter.ts';
import { PortariaError } from '../kernel/errors.ts';

/** The query of a call: page, size and filters of a list, or the endpoint's own parameters. */
export type Query = Readonly<Record<string, unknown>>;

type Parameters = [name: string, value: string][];

/** The largest page (specification, Limits). */
export const MAX_PAGE_SIZE = 100;

/**
 * Returns the query string with its question mark; empty when there are no parameters.
 *
 * @throws PortariaError `invalid-argument` for a parameter or filter that the endpoint does not support.
 */
export function queryString(endpoint: Endpoint, query: Query): string {
  const parameters =
    endpoint.filters === null ? ownParameters(endpoint, query) : listParameters(endpoint, query);
  const encoded = new URLSearchParams(parameters).toString();
  return encoded === '' ? '' : `?${encoded}`;
}

/** Reports whether a query string or a form can carry the value. */
export function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function listParameters({ operationId, filters }: Endpoint, query: Query): Parameters {
  const { filters: given, page, size, ...others } = query;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw unknownParameter(operationId, unknown);
  // The provider requires both or neither (specification, Conventions 5).
  const pages =
    page === undefined && size === undefined ? {} : { page: page ?? 1, size: size ?? MAX_PAGE_SIZE };
  return [
    ...scalarParameters(operationId, pages).map(([name, value]): [string, string] => [
      `pagination[${name}]`,
      value,
    ]),
    ...filterParameters(operationId, filters ?? {}, given ?? {}),
  ];
}

function ownParameters({ operationId, query: { shape } }: Endpoint, query: Query): Parameters {
  const unknown = Object.keys(query).find((name) => !Object.hasOwn(shape, name));
  if (unknown !== undefined) throw unknownParameter(operationId, unknown);
  return scalarParameters(operationId, query);
}

function scalarParameters(operation: string, parameters: Query): Parameters {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => {
    if (isScalar(value)) return [name, String(value)];
    const message = `${operation}: query parameter ${name} must be a string, number or boolean`;
    throw new PortariaError('invalid-argument', message);
  });
}

/**
 * Flattens filters given as objects, `{company: {external_uid: {$eq: 'matriz'}}}`.
 * An unknown filter is an error: without it the list would contain other records.
 */
function filterParameters(operation: string, filters: Filters, given: object, prefix = ''): Parameters {
  return Object.entries(given).flatMap(([name, below]: [string, unknown]) => {
    if (below === undefined) return [];
    const path = prefix + name;
    const isKnown = Object.keys(filters).some((field) => field === path || field.startsWith(`${path}.`));
    if (!isKnown || typeof below !== 'object' || below === null)
      throw unknownFilter(operation, path, filters);
    const field = Object.hasOwn(filters, path) ? filters[path] : undefined;
    if (field === undefined) return filterParameters(operation, filters, below, `${path}.`);
    return Object.entries(below).flatMap(([sign, value]: [string, unknown]) => {
      if (value === undefined) return [];
      const operator = operators.find((known) => known === sign);
      if (operator === undefined || !field.operators.includes(operator) || !isScalar(value))
        throw unknownFilter(operation, `${path}.${sign}`, filters);
      return [[filterParameter(path, operator), String(value)] satisfies [string, string]];
    });
  });
}

function unknownParameter(operation: string, name: string): PortariaError {
  return new PortariaError('invalid-argument', `${operation}: unknown query parameter: ${name}`);
}

function unknownFilter(operation: string, path: string, filters: Filters): PortariaError {
  const known = Object.entries(filters).map(([field, { operators }]) => `${field} (${operators.join(' ')})`);
  const remedy =
    known.length === 0 ? 'the list has none' : `the list has ${known.join(', ')}, each with a value`;
  return new PortariaError('invalid-argument', `${operation}: unknown filter: ${path}; ${remedy}`);
}
