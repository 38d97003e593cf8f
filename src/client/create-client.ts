import type { Endpoint } from '../contract/api/endpoint.ts';
import { endpoints } from '../contract/api/endpoints.ts';
import { allPages, type ListPage } from './all-pages.ts';
import type { Client } from './client.ts';
import { readClientOptions, type ClientOptions } from './client-options.ts';
import type { Connection } from './connection.ts';
import { followStream } from './follow-stream.ts';
import type { CallOptions } from './operation.ts';
import { pagingOf } from './paging.ts';
import type { Query } from './query-text.ts';
import { readAnswer } from './read-answer.ts';
import { pathNames, requestOf, type Asked } from './request.ts';
import { send } from './send.ts';

/**
 * A client of the provider's REST API with the key of one organization. It
 * holds no connection and no timer of its own: there is nothing to close.
 *
 * @throws PortariaError `misconfigured` when address or key cannot be such.
 */
export function createClient(options: ClientOptions): Client {
  const connection = readClientOptions(options);
  const made = Object.entries(endpoints).map(
    ([name, resource]) => [name, operationsOf(resource, connection)] as const,
  );
  // The operations are those of the declarations, by name, which TypeScript cannot follow through entries.
  return Object.fromEntries(made) as unknown as Client;
}

type AnyOperation = (...given: readonly unknown[]) => unknown;

function operationsOf(
  endpoints: Readonly<Record<string, Endpoint>>,
  connection: Connection,
): Readonly<Record<string, AnyOperation>> {
  const operations: Record<string, AnyOperation> = {};
  for (const [name, endpoint] of Object.entries(endpoints)) {
    operations[name] = (...given) => {
      const { options, ...asked } = readArguments(endpoint, given);
      return endpoint.response.type === undefined
        ? call(endpoint, asked, connection, options)
        : followStream(endpoint, requestOf(endpoint, asked, connection), connection, options);
    };
    const paging = pagingOf(endpoint);
    if (paging !== null)
      operations[name.replace(/^list/, 'all')] = (...given) => {
        const { options, ...asked } = readArguments(endpoint, given);
        const read = (query: Query) => call(endpoint, { ...asked, query }, connection, options);
        // Without a list of records `readAnswer` throws.
        return allPages(paging, asked.query, read as (query: Query) => Promise<ListPage>);
      };
  }
  return operations;
}

async function call(
  endpoint: Endpoint,
  asked: Asked,
  connection: Connection,
  options: CallOptions,
): Promise<unknown> {
  const request = requestOf(endpoint, asked, connection);
  return readAnswer(endpoint, await send(request, connection, options), connection);
}

/** Takes what an operation was called with apart: ids, body, query and options, as far as the endpoint has them. */
function readArguments(
  { path, body, filters, query }: Endpoint,
  given: readonly unknown[],
): Asked & { readonly options: CallOptions } {
  const names = pathNames(path);
  const rest = given.slice(names.length);
  const next = (): object => rest.shift() ?? {};
  const asks = filters !== null || Object.keys(query.shape).length > 0;
  return {
    ids: given.slice(0, names.length),
    body: body === null ? null : next(),
    query: asks ? { ...next() } : {},
    options: next(),
  };
}
