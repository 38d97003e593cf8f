/** Rejects changes of status that a record does not allow. */
import { HttpError } from './http-error.ts';

/**
 * Checks a change of status against a table of transitions.
 *
 * @param what the record, with its article: `A payment slip`.
 * @param moves the statuses that can follow each status.
 * @throws HttpError 409 that names the possible statuses.
 */
export function checkTransition<Status extends string>(
  what: string,
  { from, to }: { readonly from: Status; readonly to: string },
  moves: Readonly<Partial<Record<Status, readonly string[]>>>,
): void {
  const allowed = moves[from] ?? [];
  if (allowed.includes(to)) return;
  const instead = allowed.length === 0 ? 'its status is final' : `only ${allowed.join(', ')}`;
  throw new HttpError(409, `${what} with status ${from} cannot become ${to}: ${instead}`);
}
