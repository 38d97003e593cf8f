/** Changes ANTT violations and their tickets. */
import type { Insertable, Updateable } from 'kysely';
import { anttViolationStatuses } from '../../src/contract/record/antt-violation.ts';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { checkTransition } from '../http/check-transition.ts';
import { notFound, HttpError } from '../http/http-error.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { anttViolations, type AnttViolationStatus } from './antt-violation.ts';
import { requireNoActiveSlip } from '../payment-slips/active-slip.ts';
import { checkSlipMove, slipDueDate, type SlipTransition } from '../payment-slips/slip-rules.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { anttTickets } from './antt-ticket.ts';

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

/**
 * Requests a payment slip for an ANTT violation and emits
 * `antt-violation.ticket.created` (specification, States and transitions, ticket).
 *
 * @throws HttpError 404 without the violation, 409 when it has an active slip, 422 when it has no company.
 */
export async function requestAnttTicket(change: Change, violationId: number) {
  const { transaction, organization, at, today } = change;
  const violation = await anttViolations.read(transaction, organization, violationId);
  const name = `ANTT violation with id ${String(violationId)}`;
  const slips = { table: 'antt_violation_tickets', column: 'antt_violation_id' } as const;
  await requireNoActiveSlip(change, slips, violationId, `${name} has an active ticket already`);
  if (violation.company === null) throw new HttpError(422, `${name} has no company`);

  const { id } = await transaction
    .insertInto('antt_violation_tickets')
    .values({
      organization_id: organization,
      antt_violation_id: violationId,
      status: 'pending',
      due_date: slipDueDate(violation.due_date, today),
      created_at: at,
      updated_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const ticket = await anttTickets.read(transaction, organization, id);
  await recordChange(change, 'antt-violation.ticket.created', ticket);
  await scheduleStep(change, 'antt-ticket', id, 'slip is requested');
  return ticket;
}

export type AnttTicketTransition = SlipTransition<
  | { readonly payment_method: 'bank_slip'; readonly barcode: string }
  | { readonly payment_method: 'pix'; readonly pix: string }
>;

/**
 * Changes the status of a slip, as the agency does, and emits `antt-violation.ticket.updated`.
 *
 * @throws HttpError 404 without the slip, 409 when its status does not allow the next one.
 */
export async function moveAnttTicket(change: Change, id: number, transition: AnttTicketTransition) {
  const { transaction, organization, at } = change;
  const ticket = await anttTickets.read(transaction, organization, id);
  checkSlipMove(ticket.status, transition.status);
  await transaction
    .updateTable('antt_violation_tickets')
    .set({ ...transition, synced_at: at, updated_at: at })
    .where('id', '=', id)
    .execute();
  const moved = await anttTickets.read(transaction, organization, id);
  await recordChange(change, 'antt-violation.ticket.updated', moved);
  if (transition.status === 'requested') await scheduleStep(change, 'antt-ticket', id, 'agency answers');
  return moved;
}
