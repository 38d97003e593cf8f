/** What `privacy reapply` and `restore` report of erasures that were applied again, and of those that a hold stopped. */
import type { OperationSubject } from '../../../audit/operation.ts';
import { countOf } from '../../../kernel/text/count.ts';
import type { ErasedAgain } from '../../../privacy/erase-person.ts';
import { totalOfRows } from '../../../privacy/ledger.ts';

/** What the audit keeps: counts, subjects and ids of erasures; no value that was erased. */
export function erasedAgainDetails({
  rows,
  held,
  heldSubjects,
  keptByHold,
}: Pick<ErasedAgain, 'rows' | 'held' | 'heldSubjects' | 'keptByHold'>): OperationSubject {
  return {
    rows: String(totalOfRows(rows)),
    ...(held > 0 && { held_rows: String(held), held_subjects: heldSubjects }),
    ...(keptByHold.length > 0 && { kept_by_hold: keptByHold }),
  };
}

const LATER = 'When the hold has ended, run `portaria privacy reapply`.';

/** Names the erasures that were not applied. */
export function keptByHoldNotes(ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  const [were, person] = ids.length === 1 ? ['was', 'the person is'] : ['were', 'these people are'];
  return [`${ids.join(', ')} ${were} not applied again, because ${person} under a legal hold. ${LATER}`];
}

/** Names the subjects whose rows name an erased person, and stay. */
export function heldRowsNotes(rows: number, subjects: readonly string[]): readonly string[] {
  if (rows === 0) return [];
  const are = subjects.length === 1 ? 'is' : 'are';
  return [
    `${countOf(rows, 'row')} of erased people stay, because ${subjects.join(', ')} ${are} under a legal hold. ${LATER}`,
  ];
}
