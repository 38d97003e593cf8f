/** The HTTP request of a call: address, headers and body. */
import type { Endpoint, Method } from '../contract/api/endpoint.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Connection } from './client-options.ts';
import { isScalar, queryString, type Query } from './query.ts';

/** An HTTP request, identical for every attempt of a call. */
export interface ClientRequest {
  readonly operation: string;
  readonly method: Method;
  readonly url: string;
  readonly init: Pick<RequestInit, 'method' | 'headers' | 'body' | 'redirect'>;
}

/** The arguments of a call. */
export interface CallArguments {
  /** Parameters of the path, in order. */
  readonly ids: readonly unknown[];
  readonly query: Query;
  /** Null for an endpoint without a body. */
  readonly body: object | null;
}

/**
 * Builds the request of a call.
 *
 * @throws PortariaError `invalid-argument` for an invalid id, and for a parameter or
 *   filter that the endpoint does not support.
 */
export function buildRequest(
  endpoint: Endpoint,
  { ids, query, body }: CallArguments,
  { url, apiKey }: Pick<Connection, 'url' | 'apiKey'>,
): ClientRequest {
  const { operationId, method, response, keyHeaders } = endpoint;
  return {
    operation: operationId,
    method,
    url: `${url}${pathOf(endpoint, ids)}${queryString(endpoint, query)}`,
    init: {
      method: method.toUpperCase(),
      // Following a redirect could send the API key to another host.
      redirect: 'manual',
      headers: {
        // The specification does not say which header the provider reads, so all of them carry the key.
        ...Object.fromEntries(keyHeaders.map((name) => [name, apiKey])),
        accept: response.type ?? 'application/json',
        'user-agent': 'portaria',
        ...(body !== null && { 'content-type': contentTypes[endpoint.bodyType] }),
      },
      ...(body !== null && { body: encodeBody(endpoint, body) }),
    },
  };
}

/** Returns the names of a path's parameters, in order. */
export function pathNames(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name);
}

const contentTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

function encodeBody({ bodyType }: Endpoint, body: object): string {
  if (bodyType === 'json') return JSON.stringify(body);
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body) as [string, unknown][])
    if (isScalar(value)) form.append(name, String(value));
  return form.toString();
}

function pathOf({ path, params, operationId }: Endpoint, ids: readonly unknown[]): string {
  const named = Object.fromEntries(pathNames(path).map((name, index) => [name, idString(ids[index])]));
  // An id of dots alone would change the path when the URL is resolved.
  const valid = params.safeParse(named).success && Object.values(named).every((id) => /[^.]/.test(id));
  if (!valid) throw new PortariaError('invalid-argument', `${operationId}: invalid id in ${path}`);
  return path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(named[name] ?? ''));
}

/** Returns an empty string, which no id is, for a value of another type. */
function idString(id: unknown): string {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}
