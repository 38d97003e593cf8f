/** The status changes and due dates of payment slips. */
import type { z } from 'zod';
import type { paymentMethod, slipStatus } from '../../src/contract/record/payment-slip.ts';
import { addDays } from '../brazilian-day.ts';
import { checkTransition } from '../http/check-transition.ts';

export type SlipStatus = z.infer<typeof slipStatus>;
export type PaymentMethod = z.infer<typeof paymentMethod>;

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
 * @throws HttpError 409 when it may not.
 */
export function checkSlipMove(from: SlipStatus, to: SlipStatus): void {
  checkTransition('A payment slip', { from, to }, nextStatuses);
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

export type SlipTransition<Payment extends object> =
  | { readonly status: 'requested' }
  | (Issued & Payment)
  | { readonly status: 'rejected' | 'failed'; readonly status_reason: string };

interface Issued {
  readonly status: 'issued';
  /** In reais; null lets the payer choose. */
  readonly amount: number | null;
  /** `YYYY-MM-DD`, when the agency changes it. */
  readonly due_date?: string;
}
