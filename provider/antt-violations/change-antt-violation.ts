/** Changes ANTT violations. */
import type { Insertable, Updateable } from 'kysely';
import { anttViolationStatuses } from '../../src/contract/record/antt-violation.ts';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { checkTransition } from '../http/check-transition.ts';
import { notFound } from '../http/http-error.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { anttViolations, type AnttViolationStatus } from './antt-violation.ts';

/** Columns that callers do not set. `synced_at` is the time of the change: receivers order events by it. */
type Columns = 'id' | 'organization_id' | 'synced_at';
export type NewAnttViolation = Omit<Insertable<ProviderTables['antt_violations']>, Columns>;
type ChangedAnttViolation = Omit<Updateable<ProviderTables['antt_violations']>, Columns>;

/** Adds a violation that the agency reports and emits `antt-violation.created`. No endpoint does this. */
export async function addAnttViolation(change: Change, violation: NewAnttViolation) {
  const { transaction, organization, at } = change;
  const { id } = await transaction
    .insertInto('antt_violations')
    .values({ ...violation, organization_id: organization, synced_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  const added = await anttViolations.read(transaction, organization, id, 'webhook');
  await recordChange(change, 'antt-violation.created', added);
  return added;
}

/** Updates a violation that the agency reports and emits `antt-violation.updated`. @throws HttpError 404 */
export async function changeAnttViolation(change: Change, id: number, values: ChangedAnttViolation) {
  const { transaction, organization, at } = change;
  const { numUpdatedRows } = await transaction
    .updateTable('antt_violations')
    .set({ ...values, synced_at: at })
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw notFound('ANTT violation', id);
  const changed = await anttViolations.read(transaction, organization, id, 'webhook');
  await recordChange(change, 'antt-violation.updated', changed);
  return changed;
}

/**
 * Changes the status of a violation to any other one: the specification lists
 * no transitions.
 *
 * @throws HttpError 404 without the violation, 409 when it has that status already.
 */
export async function moveAnttViolation(change: Change, id: number, status: AnttViolationStatus) {
  const { status: from } = await anttViolations.read(change.transaction, change.organization, id);
  const others = anttViolationStatuses.filter((other) => other !== from);
  checkTransition('An ANTT violation', { from, to: status }, { [from]: others });
  return changeAnttViolation(change, id, { status });
}
