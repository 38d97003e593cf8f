/** Holds of subjects, for every surface. */
import { parseSubjectName, subjectName, type Subject } from '../event/subject.ts';
import { PortariaError } from '../kernel/errors.ts';
import { printableLine } from '../kernel/text/printable.ts';
import type { Privacy } from '../store/privacy.ts';
import { sameSubjects } from './identifier.ts';

/** Characters of a reason, at most. */
export const MAX_REASON = 500;

/**
 * Keeps a subject from being erased and pruned, under all names of the same person. A subject that is held already
 * keeps its first reason.
 *
 * @returns the names that are held now
 * @throws PortariaError `invalid-argument` without a reason
 */
export async function placeHold(
  store: Pick<Privacy, 'hold'>,
  subject: Subject,
  { reason, by }: { readonly reason: string; readonly by: string },
): Promise<readonly string[]> {
  const subjects = namesOf(subject);
  await store.hold(subjects, { reason: requireReason(reason), placedBy: printableLine(by) });
  return subjects.map(subjectName);
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
  const removed = await store.removeHolds(namesOf(subject));
  if (removed === 0) throw new PortariaError('not-found', `There is no hold of ${subjectName(subject)}`);
  return removed;
}

/** @throws PortariaError `invalid-argument` for a reason that is empty or too long */
export function requireReason(text: string): string {
  const reason = printableLine(text.trim());
  if (reason === '')
    throw new PortariaError('invalid-argument', 'Give a reason: it is stored, and the audit shows it');
  if (reason.length > MAX_REASON)
    throw new PortariaError('invalid-argument', `Write a reason of at most ${String(MAX_REASON)} characters`);
  return reason;
}

function namesOf(subject: Subject): readonly Subject[] {
  return sameSubjects(subjectName(subject)).flatMap((name) => parseSubjectName(name) ?? []);
}
