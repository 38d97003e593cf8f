import type { Change } from '../change.ts';
import { refuseSlipMove } from '../payment-slips/slip-status.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { readAnttTicket } from './read-antt-ticket.ts';

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
  refuseSlipMove(ticket.status, move.status);
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
