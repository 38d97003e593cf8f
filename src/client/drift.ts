import type { z } from 'zod';
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
  /** The expected and the received type. It never contains the value, which may be personal data. */
  readonly message: string;
}

/** Returns where `value` does not match `schema`; empty when it matches. */
export function driftIssues(schema: z.ZodType, value: unknown, root: string): readonly DriftIssue[] {
  const { error } = schema.safeParse(value);
  if (error === undefined) return [];
  return error.issues.slice(0, MAX_ISSUES).map((issue) => ({
    path: issuePath(issue.path, root),
    message: issue.message,
  }));
}
