import type { z } from 'zod';
import { findIssues, issuePath } from '../contract/find-issues.ts';
import type { ParseIssue } from '../event/rejected-delivery.ts';

/** More than anybody reads; the message tells how many there are, */
const MAX_LISTED = 20;
/** up to so many: beyond, they are not looked for. */
const MAX_ISSUES = 100;

/** What a schema finds wrong. */
export interface Issues {
  /** In words. */
  readonly count: string;
  /** The first of them, with paths from the envelope: `data.amount`, `data.signers[0].email`, `data.vars["driver name"]`. */
  readonly listed: readonly ParseIssue[];
}

/** Empty when `data` fits. */
export function listIssues(schema: z.core.$ZodType, data: unknown): Issues {
  const found = findIssues(schema, data, MAX_ISSUES + 1);
  const listed = found.slice(0, MAX_LISTED).map(({ path, message }) => ({
    path: issuePath(path, 'data'),
    message,
  }));
  return { count: countText(found.length), listed };
}

function countText(found: number): string {
  if (found > MAX_ISSUES) return `more than ${String(MAX_ISSUES)} issues`;
  return `${String(found)} ${found === 1 ? 'issue' : 'issues'}`;
}
