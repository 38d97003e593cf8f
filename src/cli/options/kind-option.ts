import { eventKinds } from '../../contract/catalogue.ts';
import { kindsMatching } from '../../contract/event-pattern.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { suggest } from '../../kernel/text/suggest.ts';
import type { Queries } from '../../store/queries.ts';
import type { Session } from '../session.ts';

/**
 * Points out kinds that the contract does not know. They may exist all the
 * same, as unrecognized events, so this is a word and no error.
 */
export async function noteUnknownKinds(session: Session, kinds: readonly string[] = []): Promise<void> {
  for (const kind of kinds)
    if (kindsMatching(kind).length === 0) await session.note(`note: ${nothingMatches(kind)}`);
}

/**
 * For commands that act: a kind that neither the contract nor a stored event
 * has is a slip of the pen, and doing nothing would look like success.
 *
 * @throws PortariaError `invalid-argument`
 */
export async function requireKinds(
  store: Pick<Queries, 'events'>,
  kinds: readonly string[] = [],
): Promise<void> {
  for (const kind of kinds) {
    if (kindsMatching(kind).length > 0) continue;
    const [stored] = await store.events({ kinds: [kind] }, { order: 'newest', limit: 1 });
    if (stored === undefined) throw new PortariaError('invalid-argument', nothingMatches(kind));
  }
}

function nothingMatches(kind: string): string {
  const meant = suggest(kind, eventKinds);
  return `no kind of the contract matches ${kind}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}
