import type { Context } from 'hono';
import type { z } from 'zod';
import type { Failure } from './failure.ts';

/** More than anybody reads; a body has room for many times as many. */
const MAX_ISSUES = 100;

/** Answers 400 when parameters or a body do not fit their schema, each issue named. */
export function refuseParameters(
  result: { readonly success: true } | { readonly success: false; readonly error: z.core.$ZodError },
  c: Context,
): Response | undefined {
  if (result.success) return undefined;
  const issues = result.error.issues.flatMap(issuesOf);
  const named = issues.slice(0, MAX_ISSUES);
  const rest =
    issues.length > named.length
      ? `: ${String(issues.length)} issues, of which ${String(named.length)} are named`
      : '';
  return c.json(
    { error: 'Bad Request', message: `These parameters do not fit${rest}`, issues: named } satisfies Failure,
    400,
  );
}

function issuesOf(issue: z.core.$ZodIssue): { path: string; message: string }[] {
  const path = issue.path.map(String);
  // An object's unknown members are one issue of zod, and one each for people.
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'No such parameter' }));
  return [{ path: path.join('.'), message: issue.message }];
}
