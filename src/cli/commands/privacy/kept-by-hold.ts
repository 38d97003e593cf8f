/** Says what was not erased again because of a legal hold, for `privacy reapply` and `restore`. */
import { countOf } from '../../../kernel/text/count.ts';

const LATER =
  '`portaria privacy reapply` erases them after the hold, without `--from` and PORTARIA_REAPPLY_FROM, which would bring the hold back.';

/** Names the erasures that were not applied. */
export function keptByHoldNotes(ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  const [were, person] = ids.length === 1 ? ['was', 'the person is'] : ['were', 'these people are'];
  return [`${ids.join(', ')} ${were} not applied again, because ${person} under a legal hold: ${LATER}`];
}

/** Names the subjects whose rows name an erased person, and stay. */
export function heldRowsNotes(rows: number, subjects: readonly string[]): readonly string[] {
  if (rows === 0) return [];
  const are = subjects.length === 1 ? 'is' : 'are';
  return [
    `${countOf(rows, 'row')} of erased people stay, because ${subjects.join(', ')} ${are} under a legal hold: ${LATER}`,
  ];
}
