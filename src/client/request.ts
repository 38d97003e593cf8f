import type { Endpoint, Method } from '../contract/api/endpoint.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Connection } from './connection.ts';
import { queryText, type Query } from './query-text.ts';
import { isScalar } from './scalar.ts';

/** A request as it is sent, at every try the same. */
export interface ClientRequest {
  readonly operation: string;
  readonly method: Method;
  readonly url: string;
  readonly init: Pick<RequestInit, 'method' | 'headers' | 'body' | 'redirect'>;
}

/** What is asked of an endpoint. */
export interface Asked {
  /** Of the path, in its order. */
  readonly ids: readonly unknown[];
  readonly query: Query;
  /** Null for an endpoint that takes none. */
  readonly body: object | null;
}

/** @throws PortariaError `invalid-argument` for an id that cannot be one, and for what the endpoint does not take. */
export function requestOf(endpoint: Endpoint, asked: Asked, { url, apiKey }: Connection): ClientRequest {
  const { operationId, method, response: answer, keyHeaders } = endpoint;
  return {
    operation: operationId,
    method,
    url: `${url}${pathOf(endpoint, asked.ids)}${queryText(endpoint, asked.query)}`,
    init: {
      method: method.toUpperCase(),
      // Followed, it would carry the key to wherever it leads.
      redirect: 'manual',
      headers: {
        // Where the specification leaves open which header is read, each carries it.
        ...Object.fromEntries(keyHeaders.map((name) => [name, apiKey])),
        accept: answer.type ?? 'application/json',
        'user-agent': 'portaria',
        ...(asked.body !== null && { 'content-type': contentTypes[endpoint.bodyType] }),
      },
      ...(asked.body !== null && { body: bodyText(endpoint, asked.body) }),
    },
  };
}

/** The names of a path's parameters, in its order. */
export function pathNames(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name);
}

const contentTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

function bodyText({ bodyType }: Endpoint, body: object): string {
  if (bodyType === 'json') return JSON.stringify(body);
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body) as [string, unknown][])
    if (isScalar(value)) form.append(name, String(value));
  return form.toString();
}

function pathOf({ path, params, operationId }: Endpoint, ids: readonly unknown[]): string {
  const named = Object.fromEntries(pathNames(path).map((name, index) => [name, idText(ids[index])]));
  const fits = params.safeParse(named).success && Object.values(named).every((text) => /[^.]/.test(text));
  if (!fits) throw new PortariaError('invalid-argument', `${operationId}: that is no id for ${path}`);
  return path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(named[name] ?? ''));
}

/** Empty for what is no id. Dots alone, too, are none: whoever resolves the address takes them for steps. */
function idText(id: unknown): string {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}
