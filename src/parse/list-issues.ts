import type { z } from 'zod';
import type { ParseIssue } from '../event/rejected-delivery.ts';

/** More than anybody reads; the message tells how many there are. */
const MOST_ISSUES = 20;
/** A record's keys are the sender's own, and as long as it likes. */
const LONGEST_PATH = 200;

/**
 * What a schema found, in the order it found it, with paths from the envelope:
 * `data.amount`, `data.signers[0].email`, `data.vars["driver name"]`.
 */
export function listIssues(error: z.ZodError): readonly ParseIssue[] {
  return error.issues.slice(0, MOST_ISSUES).map((issue) => ({
    path: pathText(issue.path),
    message: issue.message,
  }));
}

function pathText(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((parent, step) => parent + stepText(step), 'data');
  return text.length > LONGEST_PATH ? `${text.slice(0, LONGEST_PATH)}…` : text;
}

function stepText(step: PropertyKey): string {
  if (typeof step === 'number') return `[${String(step)}]`;
  const name = String(step);
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
