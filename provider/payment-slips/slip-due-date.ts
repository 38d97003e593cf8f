import { addDays } from '../brazilian-day.ts';

/** Days that a slip for what is overdue leaves for paying it. */
const DAYS_TO_PAY = 5;

/** By when a slip can be paid: as what it pays, unless that day is over, by which nobody can pay, or not known. */
export function slipDueDate(dueDate: string | null, today: string): string {
  return dueDate === null || dueDate < today ? addDays(today, DAYS_TO_PAY) : dueDate;
}
