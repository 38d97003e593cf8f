import type { Change } from '../change.ts';
import { Refusal } from '../http/refusal.ts';
import { isActiveSlip } from '../payment-slips/active-slip.ts';
import { slipDueDate } from '../payment-slips/slip-due-date.ts';
import { readAccessibleViolation } from '../traffic-violations/accessible-violation.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { discountReasons } from '../traffic-violations/ticket-discounts.ts';
import type { ViolationRow } from '../traffic-violations/traffic-violation-record.ts';
import { tellTicket } from './tell-violation-ticket.ts';
import type { Discount } from './violation-ticket-tables.ts';

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

  const discount = asked !== undefined && discountReasons(violation, today)[asked] === null ? asked : 'none';
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
  return tellTicket(change, 'traffic-violation.ticket.created', id, violation.user_id);
}

/** That of the violation, or the last day of the discount, whichever comes first. */
function dueDate(violation: ViolationRow, discount: Discount, today: string): string {
  const day = slipDueDate(violation.due_date, today);
  const { preliminary_appeal_deadline: deadline } = violation;
  return discount === 'full' && deadline !== null && deadline < day ? deadline : day;
}
