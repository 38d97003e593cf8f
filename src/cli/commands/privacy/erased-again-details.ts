/** What the audit keeps of erasures that were applied again: `privacy reapply` and `restore`. */
import type { OperationSubject } from '../../../audit/operation.ts';
import type { ErasedAgain } from '../../../privacy/erase-person.ts';
import { totalOfRows } from '../../../privacy/ledger.ts';

/** Counts, subjects and ids of erasures; no value that was erased. */
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
