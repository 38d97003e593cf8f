import { eventKinds } from '../../contract/catalogue.ts';
import { kindsMatching } from '../../contract/event-pattern.ts';
import { suggest } from '../../kernel/suggest.ts';
import type { Session } from '../session.ts';

/**
 * Points out kinds that the contract does not know. They may exist all the
 * same, as unrecognized events, so this is a word and no error.
 */
export async function noteUnknownKinds(session: Session, kinds: readonly string[] = []): Promise<void> {
  for (const kind of kinds) {
    if (kindsMatching(kind).length > 0) continue;
    const meant = suggest(kind, eventKinds);
    await session.note(
      `note: no kind of the contract matches ${kind}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    );
  }
}
