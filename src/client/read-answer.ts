import { z } from 'zod';
import type { Endpoint } from '../contract/api/endpoint.ts';
import { ClientError } from './client-error.ts';
import type { Connection } from './connection.ts';
import { driftIssues, type DriftIssue } from './drift.ts';
import { pagingOf } from './paging.ts';
import type { Received } from './send.ts';

/**
 * The record or the records in an answer, a page of a list whole; undefined
 * for an answer without content. What does not fit the contract is reported
 * and returned all the same, unknown fields included.
 *
 * @throws ClientError `unreadable` when it holds no record at all.
 */
export function readAnswer(
  endpoint: Endpoint,
  { status, text }: Received,
  { onDrift }: Pick<Connection, 'onDrift'>,
): unknown {
  const { operationId: operation, response: answer } = endpoint;
  const { schema } = answer;
  if (schema === null) return undefined;
  const body = jsonObject(operation, text);
  const issues = [...statusIssues(answer.status, status), ...driftIssues(schema, body, 'answer')];
  if (issues.length > 0) onDrift({ operation, issues });
  if (pagingOf(endpoint) !== null) {
    if (!Array.isArray(body['data'])) throw unreadable(operation, 'has no list of records');
    return body;
  }
  if (!isWrapped(schema)) return body;
  const { data } = body;
  if (data === undefined || data === null) throw unreadable(operation, 'has no data');
  return data;
}

/** Whether the schema is that of `{data}` and nothing else (specification, Conventions 3). */
function isWrapped(schema: z.ZodType): boolean {
  return schema instanceof z.ZodObject && Object.keys(schema.shape).join() === 'data';
}

function jsonObject(operation: string, text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadable(operation, 'is not JSON');
  }
  if (!isRecord(value)) throw unreadable(operation, 'is not an object');
  return value;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function statusIssues(expected: number, received: number): readonly DriftIssue[] {
  if (expected === received) return [];
  return [{ path: 'status', message: `expected ${String(expected)}, received ${String(received)}` }];
}

function unreadable(operation: string, how: string): ClientError {
  return new ClientError('unreadable', `was answered something that ${how}`, { operation });
}
