/** Changes payment slips of traffic violations. */
import type { Updateable } from 'kysely';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { HttpError } from '../http/http-error.ts';
import { requireNoActiveSlip } from '../payment-slips/active-slip.ts';
import { bankSlipLine } from '../payment-slips/bank-slip-line.ts';
import { pixCode } from '../payment-slips/pix-code.ts';
import {
  checkSlipMove,
  type PaymentMethod,
  slipDueDate,
  type SlipStatus,
} from '../payment-slips/slip-rules.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { discountUnavailableReasons } from '../traffic-violations/availability.ts';
import {
  readAccessibleViolation,
  trafficViolations,
  type ViolationRow,
} from '../traffic-violations/traffic-violation.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { type Discount, type TicketRow, violationTickets } from './violation-ticket.ts';

/**
 * Requests a payment slip for a traffic violation and emits
 * `traffic-violation.ticket.created` (specification, States and transitions, ticket).
 *
 * @param requested the discount; the slip has none when it is no longer available.
 * @throws HttpError 404 without the violation, 403 while its user's link is inactive, 409 when it has an active
 *   slip, 422 when it is not payable.
 */
export async function requestViolationTicket(
  change: Change,
  violationId: number,
  requested: 'full' | 'partial' | undefined,
) {
  const { transaction, organization, at, today } = change;
  const violation = await readAccessibleViolation(transaction, organization, violationId);
  const name = `Traffic violation with id ${String(violationId)}`;
  const slips = { table: 'traffic_violation_tickets', column: 'traffic_violation_id' } as const;
  await requireNoActiveSlip(change, slips, violationId, `${name} has a ticket already`);
  if (violation.payable === 0) throw new HttpError(422, `${name} is not available for payment`);

  const isAvailable =
    requested !== undefined && discountUnavailableReasons(violation, today)[requested] === null;
  const discount = isAvailable ? requested : 'none';
  const { id } = await transaction
    .insertInto('traffic_violation_tickets')
    .values({
      organization_id: organization,
      traffic_violation_id: violationId,
      status: 'pending',
      discount,
      due_date: dueDate(violation, discount, today),
      created_at: at,
      updated_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await scheduleStep(change, 'violation-ticket', id, 'slip is requested');
  return emitViolationTicket(change, 'traffic-violation.ticket.created', id, violation.user_id);
}

/** Returns the due date of the violation, or the last day of the full discount if that is earlier. */
function dueDate(violation: ViolationRow, discount: Discount, today: string): string {
  const day = slipDueDate(violation.due_date, today);
  const { preliminary_appeal_deadline: deadline } = violation;
  return discount === 'full' && deadline !== null && deadline < day ? deadline : day;
}

/**
 * Changes the status of a slip, as the agency does, and emits
 * `traffic-violation.ticket.updated`. {@link issueViolationTicket} issues a slip.
 *
 * @throws HttpError 404 without the slip, 409 when its status does not allow the next one.
 */
export async function moveViolationTicket(
  change: Change,
  id: number,
  status: Exclude<SlipStatus, 'pending' | 'issued'>,
) {
  const ticket = await violationTickets.row(change.transaction, change.organization, id);
  const { user_id } = await violationOf(change, ticket);
  if (status === 'requested') await scheduleStep(change, 'violation-ticket', id, 'agency answers');
  return update(change, ticket, user_id, { status });
}

/**
 * Issues a slip, as the agency does: sets its amount and its means of payment, a
 * bank slip line or a PIX code.
 *
 * @throws HttpError 404 without the slip, 409 when it cannot be issued.
 */
export async function issueViolationTicket(change: Change, id: number, method: PaymentMethod) {
  const ticket = await violationTickets.row(change.transaction, change.organization, id);
  const violation = await violationOf(change, ticket);
  const amount = discountedAmount(violation, ticket.discount);
  return update(change, ticket, violation.user_id, {
    status: 'issued',
    amount,
    payment_method: method,
    ...(method === 'pix'
      ? { pix: pixOf(violation, id, amount) }
      : { barcode: bankSlipLine({ amount, dueDate: ticket.due_date, number: id }) }),
  });
}

/** Percentage of the fine to pay with each discount. */
const percentages: Readonly<Record<Exclude<Discount, 'none'>, number>> = { full: 60, partial: 80 };

/** In reais. A discount applies to the fine without interest, which starts only after the discounts end. */
function discountedAmount({ amount, updated_amount }: ViolationRow, discount: Discount): number | null {
  if (discount === 'none') return updated_amount ?? amount;
  const fine = amount ?? updated_amount;
  return fine === null ? null : Math.round(Math.round(fine * 100) * (percentages[discount] / 100)) / 100;
}

function pixOf(violation: ViolationRow, id: number, amount: number | null): string {
  return pixCode({
    amount,
    // A reserved domain (RFC 2606): no real account can receive the payment.
    key: `multas@${violation.agency_code ?? 'orgao'}.example`,
    receiver: violation.agency_name ?? 'Orgao autuador',
    city: violation.city ?? 'Brasil',
    reference: `MULTA${String(id)}`,
  });
}

function violationOf({ transaction, organization }: Change, ticket: TicketRow): Promise<ViolationRow> {
  return trafficViolations.row(transaction, organization, ticket.traffic_violation_id);
}

async function update(
  change: Change,
  { id, status }: TicketRow,
  userId: number | null,
  values: Updateable<ProviderTables['traffic_violation_tickets']> & { readonly status: SlipStatus },
) {
  checkSlipMove(status, values.status);
  await change.transaction
    .updateTable('traffic_violation_tickets')
    .set({ ...values, updated_at: change.at })
    .where('id', '=', id)
    .execute();
  return emitViolationTicket(change, 'traffic-violation.ticket.updated', id, userId);
}

/** @param userId the user of the violation. */
async function emitViolationTicket(
  change: Change,
  event: 'traffic-violation.ticket.created' | 'traffic-violation.ticket.updated',
  id: number,
  userId: number | null,
) {
  const row = await violationTickets.row(change.transaction, change.organization, id);
  const ticket = violationTickets.json(row, 'webhook');
  await recordChange(change, event, ticket, userId);
  return ticket;
}
