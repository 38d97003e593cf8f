/** Changes traffic violations. */
import type { Insertable, Updateable } from 'kysely';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { checkTransition } from '../http/check-transition.ts';
import { notFound } from '../http/http-error.ts';
import { recordChange } from '../webhooks/record-change.ts';
import type { ViolationStatus } from './traffic-violation-tables.ts';
import { trafficViolationRecord, trafficViolations } from './traffic-violation.ts';

/** A new violation. Its company, user and agency must belong to the organization. */
export type NewTrafficViolation = Omit<
  Insertable<ProviderTables['traffic_violations']>,
  'id' | 'organization_id'
>;

/** Adds a violation and emits `traffic-violation.created`. No endpoint does this. */
export async function addTrafficViolation(change: Change, violation: NewTrafficViolation) {
  const [id = 0] = await insertTrafficViolations(change, [violation]);
  return emitTrafficViolation(change, 'traffic-violation.created', id);
}

/** Adds up to 700 violations in one statement and emits their webhooks. @returns the ids, in the given order. */
export async function addTrafficViolations(
  change: Change,
  violations: readonly NewTrafficViolation[],
): Promise<readonly number[]> {
  const ids = await insertTrafficViolations(change, violations);
  if (change.emitsWebhooks)
    for (const id of ids) await emitTrafficViolation(change, 'traffic-violation.created', id);
  return ids;
}

async function insertTrafficViolations(
  { transaction, organization }: Change,
  violations: readonly NewTrafficViolation[],
): Promise<readonly number[]> {
  const rows = await transaction
    .insertInto('traffic_violations')
    .values(violations.map((violation) => ({ ...violation, organization_id: organization })))
    .returning('id')
    .execute();
  // SQLite assigns ids in the given order but may return the rows in another.
  return rows.map(({ id }) => id).sort((one, other) => one - other);
}

/** Updates a violation and emits `traffic-violation.updated`. @throws HttpError 404 */
export async function changeTrafficViolation(
  change: Change,
  id: number,
  values: Omit<Updateable<ProviderTables['traffic_violations']>, 'id' | 'organization_id'>,
) {
  const { numUpdatedRows } = await change.transaction
    .updateTable('traffic_violations')
    .set(values)
    .where('id', '=', id)
    .where('organization_id', '=', change.organization)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw notFound('Traffic violation', id);
  return emitTrafficViolation(change, 'traffic-violation.updated', id);
}

/** Allowed status changes. The specification lists the statuses but not the transitions. */
const nextStatuses: Readonly<Record<ViolationStatus, readonly ViolationStatus[]>> = {
  citation: ['warning', 'pending', 'paid', 'canceled', 'suspended'],
  pending: ['paid', 'overdue', 'canceled', 'suspended'],
  overdue: ['paid', 'canceled', 'suspended'],
  suspended: ['citation', 'pending', 'overdue', 'canceled'],
  warning: ['canceled'],
  paid: [],
  canceled: [],
};

/**
 * Changes the status of a violation and the columns that depend on it: whether
 * it is payable, the day of its payment, the day of its penalty notice.
 *
 * @throws HttpError 404 without the violation, 409 when its status does not allow the next one.
 */
export async function moveTrafficViolation(change: Change, id: number, status: ViolationStatus) {
  const violation = await trafficViolations.row(change.transaction, change.organization, id);
  checkTransition('A violation', { from: violation.status, to: status }, nextStatuses);
  const payable = status === 'pending' || status === 'overdue' ? 1 : 0;
  return changeTrafficViolation(change, id, {
    status,
    payable,
    ...(status === 'warning' && { written_warning: 1 as const }),
    ...(status === 'paid' && { payment_date: change.today }),
    ...(status === 'pending' && { penalty_notice_date: violation.penalty_notice_date ?? change.today }),
  });
}

/** Emits a webhook with the current record of a violation. */
export async function emitTrafficViolation(
  change: Change,
  event: 'traffic-violation.created' | 'traffic-violation.updated',
  id: number,
) {
  const row = await trafficViolations.row(change.transaction, change.organization, id);
  const violation = trafficViolationRecord(row, change.today, 'webhook');
  await recordChange(change, event, violation, row.user_id);
  return violation;
}

export type NewAgency = Omit<Insertable<ProviderTables['agencies']>, 'organization_id'>;

/** Adds an agency to the organization, or replaces the one with the same code. */
export async function addAgency({ transaction, organization }: Change, agency: NewAgency): Promise<void> {
  const { code: _, ...columns } = agency;
  await transaction
    .insertInto('agencies')
    .values({ ...agency, organization_id: organization })
    .onConflict((conflict) => conflict.columns(['organization_id', 'code']).doUpdateSet(columns))
    .execute();
}
