/** Checks the kinds that `--kind` names. */
import type { Contract } from '../../contract/contract.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { suggest } from '../../kernel/text/suggest.ts';
import type { Queries } from '../../store/queries.ts';
import { maskingContract } from '../known-contract.ts';
import type { Session } from '../session.ts';

/**
 * Notes each `--kind` that the contract does not know. It is no error: events of
 * unknown kinds are stored too, flagged `unrecognized`.
 */
export async function noteUnknownKinds(session: Session, kinds: readonly string[] = []): Promise<void> {
  if (kinds.length === 0) return;
  const contract = await maskingContract(session);
  for (const kind of kinds)
    if (contract.kindsMatching(kind).length === 0)
      await session.note(`note: ${nothingMatches(kind, contract)}`);
}

/**
 * Rejects a `--kind` that matches neither the contract nor a stored event. A
 * command that changes something must not report success for a mistyped kind.
 *
 * @throws PortariaError `not-found`
 */
export async function requireKinds(
  store: Pick<Queries, 'events'>,
  contract: Contract,
  kinds: readonly string[] = [],
): Promise<void> {
  for (const kind of kinds) {
    if (contract.kindsMatching(kind).length > 0) continue;
    const [stored] = await store.events({ kinds: [kind] }, { order: 'newest', limit: 1 });
    if (stored === undefined) throw new PortariaError('not-found', nothingMatches(kind, contract));
  }
}

function nothingMatches(kind: string, { kinds }: Contract): string {
  const meant = suggest(
    kind,
    kinds.map((known) => known.kind),
  );
  return `--kind ${kind} matches no kind of the contract${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}
