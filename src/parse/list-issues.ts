import type { z } from 'zod';
import { issuePath } from '../contract/issue-path.ts';
import type { ParseIssue } from '../event/rejected-delivery.ts';

/** More than anybody reads; the message tells how many there are. */
const MOST_ISSUES = 20;

/**
 * What a schema found, in the order it found it, with paths from the envelope:
 * `data.amount`, `data.signers[0].email`, `data.vars["driver name"]`.
 */
export function listIssues(error: z.ZodError): readonly ParseIssue[] {
  return error.issues.slice(0, MOST_ISSUES).map((issue) => ({
    path: issuePath(issue.path, 'data'),
    message: issue.message,
  }));
}
