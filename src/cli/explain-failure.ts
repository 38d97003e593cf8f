import { PortariaError } from '../kernel/errors.ts';
import { printable } from '../kernel/text/printable.ts';

/**
 * What went wrong, for people: one line, then one for each problem and its
 * remedy. The stack only when asked for, or when the error is none of ours.
 */
export function explainFailure(error: unknown, options: { readonly verbose: boolean }): string {
  if (!(error instanceof Error)) return `error: ${printable(String(error))}`;
  const [summary = ''] = error.message.split('\n');
  const hasProblems = PortariaError.is(error) && error.problems.length > 0;
  // Where problems follow one by one, the message's own list of them would be the same again.
  const lines = [`error: ${printable(hasProblems ? summary : error.message)}`];
  if (PortariaError.is(error))
    for (const { where, message } of error.problems) lines.push(printable(`  ${where}: ${message}`));
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause)
    lines.push(printable(`  because: ${cause.message}`));
  if (options.verbose && error.stack !== undefined) lines.push(printable(error.stack));
  else if (!PortariaError.is(error)) lines.push('  (--verbose shows where in the program)');
  return lines.join('\n');
}
