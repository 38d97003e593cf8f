import type { Change } from '../change.ts';
import { Refusal } from '../http/refusal.ts';
import { isActiveSlip, slipDueDate, checkSlipMove } from '../payment-slips/slip-rules.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { readAnttTicket } from './read-antt-ticket.ts';
import { readAnttViolation } from './read-antt-violation.ts';

/**
 * Requests a payment slip of an ANTT violation and tells
 * `antt-violation.ticket.created` (specification, States and transitions, ticket).
 *
 * @throws Refusal 404, 409 when the violation has an active slip, 422 when it has no company.
 */
export async function requestAnttTicket(change: Change, violationId: number) {
  const { transaction, organization, at, today } = change;
  const violation = await readAnttViolation(transaction, organization, violationId);
  const active = await transaction
    .selectFrom('antt_violation_tickets')
    .select('id')
    .where('antt_violation_id', '=', violationId)
    .where(isActiveSlip(today))
    .executeTakeFirst();
  const name = `ANTT violation with id ${String(violationId)}`;
  if (active !== undefined) throw new Refusal(409, `${name} has an active ticket already`);
  if (violation.company === null) throw new Refusal(422, `${name} has no company`);

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
  const ticket = await readAnttTicket(transaction, organization, id);
  await recordChange(change, 'antt-violation.ticket.created', ticket);
  await scheduleStep(change, 'antt-ticket', id, 'slip is requested');
  return ticket;
}

/** What becomes of a slip, with what comes along. */
export type AnttTicketMove =
  | { readonly status: 'requested' }
  | (Issued & { readonly payment_method: 'bank_slip'; readonly barcode: string })
  // The code is only there when this is how it is paid.
  | (Issued & { readonly payment_method: 'pix'; readonly pix: string })
  | { readonly status: 'rejected' | 'failed'; readonly status_reason: string };

interface Issued {
  readonly status: 'issued';
  /** In reais. */
  readonly amount: number;
  /** `YYYY-MM-DD`, where the agency sets another. */
  readonly due_date?: string;
}

/**
 * Takes a slip a step further, as the agency does, and tells `antt-violation.ticket.updated`.
 *
 * @throws Refusal 404, 409 when the slip cannot become that.
 */
export async function moveAnttTicket(change: Change, id: number, move: AnttTicketMove) {
  const { transaction, organization, at } = change;
  const ticket = await readAnttTicket(transaction, organization, id);
  checkSlipMove(ticket.status, move.status);
  await transaction
    .updateTable('antt_violation_tickets')
    .set({ ...move, synced_at: at, updated_at: at })
    .where('id', '=', id)
    .execute();
  const moved = await readAnttTicket(transaction, organization, id);
  await recordChange(change, 'antt-violation.ticket.updated', moved);
  if (move.status === 'requested') await scheduleStep(change, 'antt-ticket', id, 'agency answers');
  return moved;
}
