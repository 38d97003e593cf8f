/** Makes the client's operations from the endpoints of the contract. */
import type { Endpoint } from '../contract/api/endpoint.ts';
import { endpoints } from '../contract/api/endpoints.ts';
import type { CallOptions, Client } from './client.ts';
import { readClientOptions, type ClientOptions, type Connection } from './client-options.ts';
import { followStream } from './follow-stream.ts';
import { allPages, pagingOf, type ListPage } from './pages.ts';
import type { Query } from './query.ts';
import { buildRequest, pathNames, type CallArguments } from './request.ts';
import { send, type ReceivedResponse } from './send.ts';
import { z } from 'zod';
import { isJsonObject } from '../kernel/json/json.ts';
import { ClientError } from './client-error.ts';
import { driftIssues, type DriftIssue } from './drift.ts';

/**
 * Creates a client of the provider's REST API with the key of one organization.
 * It keeps no connection and no timer, so it needs no closing.
 *
 * ```ts
 * const client = createClient({ url: 'https://api.example.com', apiKey });
 * const company = await client.companies.read(12);
 * for await (const charge of client.charges.all()) console.log(charge.id);
 * ```
 *
 * @throws PortariaError `misconfigured` when the URL or the key is invalid.
 */
export function createClient(options: ClientOptions): Client {
  // TypeScript does not relate the entries to the declarations they come from.
  return operationsOf(endpoints, readClientOptions(options)) as unknown as Client;
}

/** Endpoints by name, those of a resource's part one level below. */
interface EndpointTree {
  readonly [name: string]: Endpoint | EndpointTree;
}

interface OperationTree {
  [name: string]: AnyOperation | OperationTree;
}

type AnyOperation = (...given: readonly unknown[]) => unknown;

function operationsOf(tree: EndpointTree, connection: Connection): OperationTree {
  const operations: OperationTree = {};
  for (const [name, endpoint] of Object.entries(tree)) {
    if (!isEndpoint(endpoint)) {
      operations[name] = operationsOf(endpoint, connection);
      continue;
    }
    operations[name] = (...given) => {
      const { options, ...call } = readArguments(endpoint, given);
      return endpoint.response.type === undefined
        ? performCall(endpoint, call, connection, options)
        : followStream(endpoint, buildRequest(endpoint, call, connection), connection, options);
    };
    const paging = pagingOf(endpoint);
    if (paging !== null)
      operations['all'] = (...given) => {
        const { options, ...call } = readArguments(endpoint, given);
        const read = (query: Query) => performCall(endpoint, { ...call, query }, connection, options);
        // `readResponse` throws unless the page has a list of records.
        return allPages(paging, call.query, read as (query: Query) => Promise<ListPage>);
      };
  }
  return operations;
}

function isEndpoint(value: Endpoint | EndpointTree): value is Endpoint {
  return typeof value['operationId'] === 'string';
}

async function performCall(
  endpoint: Endpoint,
  call: CallArguments,
  connection: Connection,
  options: CallOptions,
): Promise<unknown> {
  const request = buildRequest(endpoint, call, connection);
  return readResponse(endpoint, await send(request, connection, options), connection);
}

/** Splits an operation's arguments into ids, body, query and options, as far as the endpoint has them. */
function readArguments(
  { path, body, filters, query }: Endpoint,
  given: readonly unknown[],
): CallArguments & { readonly options: CallOptions } {
  const names = pathNames(path);
  const rest = given.slice(names.length);
  const next = (): object => rest.shift() ?? {};
  const hasQuery = filters !== null || Object.keys(query.shape).length > 0;
  return {
    ids: given.slice(0, names.length),
    body: body === null ? null : next(),
    query: hasQuery ? { ...next() } : {},
    options: next(),
  };
}

/**
 * Returns the result of a successful call: a record, a list of records, a whole
 * page of a paged list, or undefined when the endpoint has no content. A mismatch
 * with the contract is reported as drift; the data is returned unchanged.
 *
 * @throws ClientError `unreadable` when the response has no record at all.
 */
function readResponse(
  endpoint: Endpoint,
  { status, body }: ReceivedResponse,
  { onDrift }: Pick<Connection, 'onDrift'>,
): unknown {
  const { operationId: operation, response: declared } = endpoint;
  const { schema } = declared;
  if (schema === null) return undefined;
  const parsed = parseObject(operation, body);
  const issues = [...statusIssues(declared.status, status), ...driftIssues(schema, parsed, 'response')];
  if (issues.length > 0) onDrift({ operation, issues });
  if (pagingOf(endpoint) !== null) {
    if (!Array.isArray(parsed['data'])) throw unreadable(operation, 'has no list of records');
    return parsed;
  }
  if (!isWrapped(schema)) return parsed;
  const { data } = parsed;
  if (data === undefined || data === null) throw unreadable(operation, 'has no data');
  return data;
}

/** Reports whether the schema is `{data}` without other fields (specification, Conventions 3). */
function isWrapped(schema: z.ZodType): boolean {
  return schema instanceof z.ZodObject && Object.keys(schema.shape).join() === 'data';
}

function parseObject(operation: string, body: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw unreadable(operation, 'is not JSON');
  }
  if (!isJsonObject(value)) throw unreadable(operation, 'is not an object');
  return value;
}

function statusIssues(expected: number, received: number): readonly DriftIssue[] {
  if (expected === received) return [];
  return [{ path: 'status', message: `expected ${String(expected)}, received ${String(received)}` }];
}

function unreadable(operation: string, problem: string): ClientError {
  return new ClientError('unreadable', `received a response that ${problem}`, { operation });
}
