/** Finds where responses of the provider differ from the contract. */
import type { z } from 'zod';
import { findUnknownValues, unknownValueText } from '../contract/find-unknown-values.ts';
import { issuePath } from '../contract/find-issues.ts';

const MAX_ISSUES = 20;

/** A response that does not match the contract: the API has changed, or the contract is wrong. */
export interface Drift {
  /** The endpoint's `operationId`. */
  readonly operation: string;
  /** At most 20. */
  readonly issues: readonly DriftIssue[];
}

/** One mismatch in a response. */
export interface DriftIssue {
  /** `response.data[3].status`, or `progress.totals.failed` in an event of a stream. */
  readonly path: string;
  /** The expected and the received type. It never contains a value, which may be personal data, except of an enumeration. */
  readonly message: string;
}

/** Returns where `value` does not match `schema`, or has a value that an enumeration does not list. */
export function driftIssues(schema: z.ZodType, value: unknown, root: string): readonly DriftIssue[] {
  const issues = schema.safeParse(value).error?.issues ?? [];
  const unknown = findUnknownValues(schema, value, MAX_ISSUES).map((found) => ({
    path: found.path,
    message: unknownValueText(found),
  }));
  return [...issues, ...unknown].slice(0, MAX_ISSUES).map(({ path, message }) => ({
    path: issuePath(path, root),
    message,
  }));
}
