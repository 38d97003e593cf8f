/** Reads the responses of calls, and reports drift. */
import { z } from 'zod';
import type { Endpoint } from '../contract/api/endpoint.ts';
import { isJsonObject } from '../kernel/json/json.ts';
import { ClientError } from './client-error.ts';
import type { Connection } from './client-options.ts';
import { driftIssues, type DriftIssue } from './drift.ts';
import { pagingOf } from './pages.ts';
import type { ReceivedResponse } from './send.ts';

/**
 * Returns the result of a successful call: a record, a list of records, a whole
 * page of a paged list, or undefined when the endpoint has no content. A mismatch
 * with the contract is reported as drift; the data is returned unchanged.
 *
 * @throws ClientError `unreadable` when the response has no record at all.
 */
export function readResponse(
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
