import { sql } from 'kysely';
import type { z } from 'zod';
import type { slipStatus } from '../../src/contract/record/slip-sets.ts';
import { addDays } from '../brazilian-day.ts';
import type { Change } from '../change.ts';
import { refuseMove } from '../http/refuse-move.ts';
import { Refusal } from '../http/refusal.ts';

export type SlipStatus = z.infer<typeof slipStatus>;

/** Allowed status changes. The specification lists the statuses but not the transitions. */
const nextStatuses: Readonly<Record<SlipStatus, readonly SlipStatus[]>> = {
  pending: ['requested', 'issued', 'rejected', 'failed'],
  requested: ['issued', 'rejected', 'failed'],
  issued: [],
  rejected: [],
  failed: [],
};

/**
 * Checks that a payment slip may change from one status to another.
 *
 * @throws Refusal 409 when it may not.
 */
export function checkSlipMove(from: SlipStatus, to: SlipStatus): void {
  refuseMove('A payment slip', { from, to }, nextStatuses);
}

/** A table of payment slips and its column with the id of the record that each slip pays. */
type SlipTable =
  | { readonly table: 'charge_payment_slips'; readonly column: 'charge_id' }
  | { readonly table: 'antt_violation_tickets'; readonly column: 'antt_violation_id' }
  | { readonly table: 'traffic_violation_tickets'; readonly column: 'traffic_violation_id' };

/**
 * Checks that a record has no active payment slip: none that is pending or
 * requested, and none that is issued and not past its due date.
 *
 * @param id of the record that the slip pays.
 * @param message of the error.
 * @throws Refusal 409 when the record has an active slip.
 */
export async function requireNoActiveSlip(
  { transaction, today }: Change,
  { table, column }: SlipTable,
  id: number,
  message: string,
): Promise<void> {
  const { rows } = await sql`
    select 1 from ${sql.table(table)} where ${sql.ref(column)} = ${id}
      and (status in ('pending', 'requested') or (status = 'issued' and ifnull(due_date, ${today}) >= ${today}))
    limit 1`.execute(transaction);
  if (rows.length > 0) throw new Refusal(409, message);
}

/** Days to pay a slip whose debt is overdue or has no due date. */
const DAYS_TO_PAY = 5;

/**
 * Returns the due date of a new slip: that of the debt, or {@link DAYS_TO_PAY}
 * days from today when the debt is overdue or has none.
 *
 * @param dueDate of the debt, `YYYY-MM-DD`.
 */
export function slipDueDate(dueDate: string | null, today: string): string {
  return dueDate === null || dueDate < today ? addDays(today, DAYS_TO_PAY) : dueDate;
}
