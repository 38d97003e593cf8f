/** Finds bodies in the quarantine that are about a subject: often the reason why its events are missing. */
import type { Family } from '../contract/family.ts';
import type { Queries } from '../store/queries.ts';
import { parseSubjectName } from '../event/subject.ts';
import { kindsOf } from './record-lists.ts';

/** Held entries of a kind that are looked at, the newest ones. */
const MAX_ENTRIES = 500;

/** @returns the newest held entry of each subject, by the subject's id */
export async function heldSubjects(
  store: Pick<Queries, 'quarantined'>,
  source: string,
  family: Family,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const kind of kindsOf(family)) {
    const held = { source, kind, status: 'held' } as const;
    for (const { id, subject } of await store.quarantined(held, { order: 'newest', limit: MAX_ENTRIES })) {
      const about = parseSubjectName(subject ?? '')?.id;
      if (about !== undefined && !found.has(about)) found.set(about, id);
    }
  }
  return found;
}
