/** Holds of subjects, for every surface. */
import { parseSubjectName, subjectName, type Subject } from '../event/subject.ts';
import { PortariaError } from '../kernel/errors.ts';
import { printableLine } from '../kernel/text/printable.ts';
import type { Hold, Privacy } from '../store/privacy.ts';
import type { Queries } from '../store/queries.ts';
import { isPersonal, sameSubjects } from './identifier.ts';

/** Characters of a reason, at most. */
export const MAX_REASON = 500;

/** Characters of a subject, at most: those of a family and of an id. */
const MAX_SUBJECT = 400;

/** What `parseIdentifier` takes for a type: no family of the specification. */
const types: ReadonlySet<string> = new Set(['cpf', 'cnpj', 'email', 'phone']);

export interface PlacedHold {
  /** The names that are held now. */
  readonly names: readonly string[];
  /** That nothing is stored under these names yet; null when something is. */
  readonly warning: string | null;
}

/**
 * Keeps a subject from being erased and pruned, under all names of the same person. A subject that is held already
 * keeps its first reason.
 *
 * @throws PortariaError `invalid-argument` without a reason, and for what cannot be a subject
 */
export async function placeHold(
  store: Pick<Privacy, 'hold'> & Pick<Queries, 'events' | 'quarantined'>,
  given: Subject,
  { reason, by }: { readonly reason: string; readonly by: string },
): Promise<PlacedHold> {
  const why = requireReason(reason);
  const subjects = namesOf(trimmed(given));
  requireTypable(subjects);
  const isStored = await isAnyStored(store, subjects);
  // A sender may use an identifier as the id of its records: such a subject is known by its events.
  if (!isStored) requireNoIdentifier(subjects);
  await store.hold(subjects, { reason: why, placedBy: printableLine(by) });
  const names = subjects.map(subjectName);
  const warning = `Nothing of ${names.join(', ')} is stored yet: compare the spelling with a subject in the list of events`;
  return { names, warning: isStored ? null : warning };
}

/**
 * Places the holds of another copy of the store, with their reasons and the people who placed them.
 *
 * @returns the subjects that were not held here, `family:id`
 */
export async function adoptHolds(
  store: Pick<Privacy, 'hold' | 'holds'>,
  holds: readonly Hold[],
): Promise<readonly string[]> {
  const known = new Set((await store.holds()).map(({ subject }) => subjectName(subject)));
  const added = holds.filter(({ subject }) => !known.has(subjectName(subject)));
  for (const { subject, reason, placedBy } of added) await store.hold([subject], { reason, placedBy });
  return added.map(({ subject }) => subjectName(subject));
}

/**
 * Ends the hold of a subject, under all names of the same person.
 *
 * @param reason for the audit alone; null where none is asked for
 * @returns how many there were
 * @throws PortariaError `not-found`, and `invalid-argument` for an empty reason
 */
export async function endHold(
  store: Pick<Privacy, 'removeHolds'>,
  subject: Subject,
  reason: string | null,
): Promise<number> {
  if (reason !== null) requireReason(reason);
  const removed = await store.removeHolds(namesOf(subject).concat(namesOf(trimmed(subject))));
  if (removed === 0) throw new PortariaError('not-found', `There is no hold of ${subjectName(subject)}`);
  return removed;
}

/** @throws PortariaError `invalid-argument` for a reason that is empty or too long */
export function requireReason(text: string): string {
  const reason = printableLine(text.trim());
  if (reason === '') throw new PortariaError('invalid-argument', { code: 'reason-missing' });
  if (reason.length > MAX_REASON)
    throw new PortariaError('invalid-argument', `Write a reason of at most ${String(MAX_REASON)} characters`);
  return reason;
}

function trimmed({ family, id }: Subject): Subject {
  return { family: family.trim(), id: id.trim() };
}

function requireTypable([subject]: readonly Subject[]): void {
  const name = subject === undefined ? '' : subjectName(subject);
  if (name !== '' && name.length <= MAX_SUBJECT && !/[\p{Cc}\p{Cs}]/u.test(name)) return;
  throw new PortariaError(
    'invalid-argument',
    `Write the subject as family:id, for example company:12, with at most ${String(MAX_SUBJECT)} visible characters`,
  );
}

/** @throws PortariaError `invalid-argument`, which does not repeat the identifier */
function requireNoIdentifier(subjects: readonly Subject[]): void {
  if (!subjects.some(({ family, id }) => types.has(family) || isPersonal(family) || isPersonal(id))) return;
  throw new PortariaError('invalid-argument', { code: 'held-identifier' });
}

async function isAnyStored(
  store: Pick<Queries, 'events' | 'quarantined'>,
  subjects: readonly Subject[],
): Promise<boolean> {
  const newest = { order: 'newest', limit: 1 } as const;
  for (const subject of subjects) {
    if ((await store.events({ subject }, newest)).length > 0) return true;
    if ((await store.quarantined({ subject }, newest)).length > 0) return true;
  }
  return false;
}

function namesOf(subject: Subject): readonly Subject[] {
  return sameSubjects(subjectName(subject)).flatMap((name) => parseSubjectName(name) ?? []);
}
