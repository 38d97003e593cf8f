import type { Insertable, Updateable } from 'kysely';
import type { Change } from '../change.ts';
import { notFound } from '../http/refusal.ts';
import { refuseMove } from '../http/refuse-move.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { readTrafficViolation, trafficViolationRecord } from './read-traffic-violation.ts';
import type { TrafficViolationTables, ViolationStatus } from './traffic-violation-tables.ts';

/** Its company, user and agency are the organization's. */
export type NewTrafficViolation = Omit<
  Insertable<TrafficViolationTables['traffic_violations']>,
  'id' | 'organization_id'
>;

/** Adds a violation that was found, and tells `traffic-violation.created`. No endpoint makes any. */
export async function addTrafficViolation(change: Change, violation: NewTrafficViolation) {
  const [id = 0] = await insertTrafficViolations(change, [violation]);
  return emitTrafficViolation(change, 'traffic-violation.created', id);
}

/** Adds as many at a time, in their order, as one statement takes (700). @returns their ids. */
export async function addTrafficViolations(
  change: Change,
  violations: readonly NewTrafficViolation[],
): Promise<readonly number[]> {
  const ids = await insertTrafficViolations(change, violations);
  if (change.isTold)
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
  // SQLite returns rows in no particular order, but gives ids in theirs.
  return rows.map(({ id }) => id).sort((one, other) => one - other);
}

/** Changes what is known of a violation, and tells `traffic-violation.updated`. @throws Refusal 404 */
export async function changeTrafficViolation(
  change: Change,
  id: number,
  values: Omit<Updateable<TrafficViolationTables['traffic_violations']>, 'id' | 'organization_id'>,
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

/** What a violation can become (the specification leaves the moves open). */
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
 * Moves a violation on, with what follows from it: whether it can be paid, the
 * day of its payment or of its penalty notice.
 *
 * @throws Refusal 404, 409 when it cannot become that.
 */
export async function moveTrafficViolation(change: Change, id: number, status: ViolationStatus) {
  const violation = await readTrafficViolation(change.transaction, change.organization, id);
  refuseMove('A violation', { from: violation.status, to: status }, nextStatuses);
  const payable = status === 'pending' || status === 'overdue' ? 1 : 0;
  return changeTrafficViolation(change, id, {
    status,
    payable,
    ...(status === 'warning' && { written_warning: 1 as const }),
    ...(status === 'paid' && { payment_date: change.today }),
    ...(status === 'pending' && { penalty_notice_date: violation.penalty_notice_date ?? change.today }),
  });
}

/** Tells a violation as it is at this moment. */
export async function emitTrafficViolation(
  change: Change,
  event: 'traffic-violation.created' | 'traffic-violation.updated',
  id: number,
) {
  const row = await readTrafficViolation(change.transaction, change.organization, id);
  const violation = trafficViolationRecord(row, change.today, 'webhook');
  await recordChange(change, event, violation, row.user_id);
  return violation;
}

export type NewAgency = Omit<Insertable<TrafficViolationTables['agencies']>, 'organization_id'>;

/** An agency whose violations the organization has. Adding it again replaces what is known of it. */
export async function addAgency({ transaction, organization }: Change, agency: NewAgency): Promise<void> {
  const { code, ...known } = agency;
  await transaction
    .insertInto('agencies')
    .values({ ...agency, organization_id: organization })
    .onConflict((conflict) => conflict.columns(['organization_id', 'code']).doUpdateSet(known))
    .execute();
}
