import { anttViolationStatuses } from '../../src/contract/record/antt-violation.ts';
import type { Change } from '../change.ts';
import { refuseMove } from '../http/refuse-move.ts';
import type { AnttTables } from './antt-tables.ts';
import { changeAnttViolation } from './change-antt-violation.ts';
import { readAnttViolation } from './read-antt-violation.ts';

export type AnttViolationStatus = AnttTables['antt_violations']['status'];

/**
 * Moves the process of a violation on, to any other status: they go back and
 * forth, and the specification shows no moves.
 *
 * @throws Refusal 404, 409 when it is that already.
 */
export async function moveAnttViolation(change: Change, id: number, status: AnttViolationStatus) {
  const { status: from } = await readAnttViolation(change.transaction, change.organization, id);
  const others = anttViolationStatuses.filter((other) => other !== from);
  refuseMove('An ANTT violation', { from, to: status }, { [from]: others });
  return changeAnttViolation(change, id, { status });
}
