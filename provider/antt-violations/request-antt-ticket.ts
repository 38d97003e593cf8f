import type { Change } from '../change.ts';
import { Refusal } from '../http/refusal.ts';
import { isActiveSlip } from '../payment-slips/active-slip.ts';
import { slipDueDate } from '../payment-slips/slip-due-date.ts';
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
