import { Refusal } from './refusal.ts';

/**
 * @param what is to become something else, with its article: `A payment slip`.
 * @param moves what it can become, by what it is.
 * @throws Refusal 409 with what it can become, when that is something else.
 */
export function refuseMove<Status extends string>(
  what: string,
  { from, to }: { readonly from: Status; readonly to: string },
  moves: Readonly<Partial<Record<Status, readonly string[]>>>,
): void {
  const allowed = moves[from] ?? [];
  if (allowed.includes(to)) return;
  const instead = allowed.length === 0 ? 'it stays so' : `only ${allowed.join(', ')}`;
  throw new Refusal(409, `${what} that is ${from} cannot become ${to}: ${instead}`);
}
