import type { Change } from '../change.ts';
import { Refusal } from '../http/refusal.ts';
import { isActiveSlip, slipDueDate, checkSlipMove, type SlipStatus } from '../payment-slips/slip-rules.ts';
import {
  readAccessibleViolation,
  type ViolationRow,
  readTrafficViolation,
} from '../traffic-violations/read-traffic-violation.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { discountUnavailableReasons } from '../traffic-violations/availability.ts';
import type { Discount, PaymentMethod, ViolationTicketTables } from './violation-ticket-tables.ts';
import type { Updateable } from 'kysely';
import { bankSlipLine } from '../payment-slips/bank-slip-line.ts';
import { pixCode } from '../payment-slips/pix-code.ts';
import { readViolationTicket, type TicketRow, violationTicketRecord } from './read-violation-ticket.ts';
import { recordChange } from '../webhooks/record-change.ts';

/**
 * Requests a payment slip of a traffic violation and tells
 * `traffic-violation.ticket.created` (specification, States and transitions,
 * ticket). A discount that is not open any more is ignored.
 *
 * @throws Refusal 404, 403 while the user's link is inactive, 409 when the violation has an active slip, 422
 *   when it cannot be paid.
 */
export async function requestViolationTicket(
  change: Change,
  violationId: number,
  asked: 'full' | 'partial' | undefined,
) {
  const { transaction, organization, at, today } = change;
  const violation = await readAccessibleViolation(transaction, organization, violationId);
  const active = await transaction
    .selectFrom('traffic_violation_tickets')
    .select('id')
    .where('traffic_violation_id', '=', violationId)
    .where(isActiveSlip(today))
    .executeTakeFirst();
  const name = `Traffic violation with id ${String(violationId)}`;
  if (active !== undefined) throw new Refusal(409, `${name} has a ticket already`);
  if (violation.payable === 0) throw new Refusal(422, `${name} is not available for payment`);

  const discount = asked !== undefined && discountUnavailableReasons(violation, today)[asked] === null ? asked : 'none';
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

/** That of the violation, or the last day of the discount, whichever comes first. */
function dueDate(violation: ViolationRow, discount: Discount, today: string): string {
  const day = slipDueDate(violation.due_date, today);
  const { preliminary_appeal_deadline: deadline } = violation;
  return discount === 'full' && deadline !== null && deadline < day ? deadline : day;
}

/**
 * Takes a slip a step further, as the agency does, and tells
 * `traffic-violation.ticket.updated`. To issue it, see {@link issueViolationTicket}.
 *
 * @throws Refusal 404, 409 when the slip cannot become that.
 */
export async function moveViolationTicket(
  change: Change,
  id: number,
  status: Exclude<SlipStatus, 'pending' | 'issued'>,
) {
  const ticket = await readViolationTicket(change.transaction, change.organization, id);
  const { user_id } = await violationOf(change, ticket);
  if (status === 'requested') await scheduleStep(change, 'violation-ticket', id, 'agency answers');
  return update(change, ticket, user_id, { status });
}

/**
 * The agency issues a slip: it gets its amount, and what it is paid with, a
 * bank slip's typed line or a PIX code.
 *
 * @throws Refusal 404, 409 when the slip cannot be issued.
 */
export async function issueViolationTicket(change: Change, id: number, method: PaymentMethod) {
  const ticket = await readViolationTicket(change.transaction, change.organization, id);
  const violation = await violationOf(change, ticket);
  const amount = discounted(violation, ticket.discount);
  return update(change, ticket, violation.user_id, {
    status: 'issued',
    amount,
    payment_method: method,
    ...(method === 'pix'
      ? { pix: pixOf(violation, id, amount) }
      : { barcode: bankSlipLine({ amount, dueDate: ticket.due_date, number: id }) }),
  });
}

/** What is left of the fine: 60 % with discount `full`, 80 % with `partial`. */
const remainders: Readonly<Record<Exclude<Discount, 'none'>, number>> = { full: 60, partial: 80 };

/** In reais. Discounts are on the fine itself: interest begins when they have ended. */
function discounted({ amount, updated_amount }: ViolationRow, discount: Discount): number | null {
  if (discount === 'none') return updated_amount ?? amount;
  const fine = amount ?? updated_amount;
  return fine === null ? null : Math.round(Math.round(fine * 100) * (remainders[discount] / 100)) / 100;
}

function pixOf(violation: ViolationRow, id: number, amount: number | null): string {
  return pixCode({
    amount,
    // A domain that nobody can have, so that nobody is paid by mistake.
    key: `multas@${violation.agency_code ?? 'orgao'}.example`,
    receiver: violation.agency_name ?? 'Orgao autuador',
    city: violation.city ?? 'Brasil',
    reference: `MULTA${String(id)}`,
  });
}

function violationOf({ transaction, organization }: Change, ticket: TicketRow): Promise<ViolationRow> {
  return readTrafficViolation(transaction, organization, ticket.traffic_violation_id);
}

async function update(
  change: Change,
  { id, status }: TicketRow,
  userId: number | null,
  values: Updateable<ViolationTicketTables['traffic_violation_tickets']> & { readonly status: SlipStatus },
) {
  checkSlipMove(status, values.status);
  await change.transaction
    .updateTable('traffic_violation_tickets')
    .set({ ...values, updated_at: change.at })
    .where('id', '=', id)
    .execute();
  return emitViolationTicket(change, 'traffic-violation.ticket.updated', id, userId);
}

/** @param userId of the violation. */
export async function emitViolationTicket(
  change: Change,
  event: 'traffic-violation.ticket.created' | 'traffic-violation.ticket.updated',
  id: number,
  userId: number | null,
) {
  const ticket = violationTicketRecord(
    await readViolationTicket(change.transaction, change.organization, id),
  );
  await recordChange(change, event, ticket, userId);
  return ticket;
}
