import type { z } from 'zod';
import { issuePath } from '../contract/find-issues.ts';

/** More than anybody reads. */
const MAX_ISSUES = 20;

/** An answer that is not what the contract says: the provider has moved on, or the contract is wrong. */
export interface Drift {
  /** The endpoint's `operationId`. */
  readonly operation: string;
  /** At most 20. */
  readonly issues: readonly DriftIssue[];
}

export interface DriftIssue {
  /** `answer.data[3].status`; of a stream `progress.totals.failed`. */
  readonly path: string;
  /** What was expected and what sort of thing came; never the value, which may be personal. */
  readonly message: string;
}

/** Where `value` is not what `schema` says; empty when it fits. */
export function driftIssues(schema: z.ZodType, value: unknown, root: string): readonly DriftIssue[] {
  const { error } = schema.safeParse(value);
  if (error === undefined) return [];
  return error.issues.slice(0, MAX_ISSUES).map((issue) => ({
    path: issuePath(issue.path, root),
    message: issue.message,
  }));
}
