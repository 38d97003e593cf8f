import type { z } from 'zod';
import type { slipStatus } from '../../src/contract/record/slip-sets.ts';
import { refuseMove } from '../http/refuse-move.ts';
import { addDays } from '../brazilian-day.ts';
import { sql, type RawBuilder, type SqlBool } from 'kysely';

export type SlipStatus = z.infer<typeof slipStatus>;

/** What a slip can become (the specification shows the statuses, not the moves). */
const nextStatuses: Readonly<Record<SlipStatus, readonly SlipStatus[]>> = {
  pending: ['requested', 'issued', 'rejected', 'failed'],
  requested: ['issued', 'rejected', 'failed'],
  issued: [],
  rejected: [],
  failed: [],
};

/** @throws Refusal 409 when a payment slip cannot become that. */
export function checkSlipMove(from: SlipStatus, to: SlipStatus): void {
  refuseMove('A payment slip', { from, to }, nextStatuses);
}

/** Days that a slip for what is overdue leaves for paying it. */
const DAYS_TO_PAY = 5;

/** By when a slip can be paid: as what it pays, unless that day is over, by which nobody can pay, or not known. */
export function slipDueDate(dueDate: string | null, today: string): string {
  return dueDate === null || dueDate < today ? addDays(today, DAYS_TO_PAY) : dueDate;
}

/**
 * Whether a slip stands in the way of another one, which is so while it is on
 * its way, or can be paid: for rows with `status` and `due_date`.
 *
 * @param today in Brazil, `YYYY-MM-DD`.
 */
export function isActiveSlip(today: string): RawBuilder<SqlBool> {
  return sql`(status in ('pending', 'requested') or (status = 'issued' and ifnull(due_date, ${today}) >= ${today}))`;
}
