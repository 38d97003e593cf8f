/** The steps of payment slips in the scenario. */
import { anttTickets } from '../antt-violations/antt-ticket.ts';
import { moveAnttTicket } from '../antt-violations/change-antt-violation.ts';
import type { Change } from '../change.ts';
import { moveChargeSlip } from '../charges/change-charge.ts';
import { chargeSlips } from '../charges/charge-slip.ts';
import { bankSlipLine } from '../payment-slips/bank-slip-line.ts';
import { pixCode } from '../payment-slips/pix-code.ts';
import { issueViolationTicket, moveViolationTicket } from '../violation-tickets/change-violation-ticket.ts';
import { violationTickets } from '../violation-tickets/violation-ticket.ts';
import type { Draw } from './pace-and-odds.ts';
import { nextSlipMove, type SlipMove } from './next-slip-move.ts';

/** Performs the next step of a charge's payment slip. @throws HttpError 404 when it no longer exists. */
export async function stepChargeSlip(change: Change, id: number, draw: Draw): Promise<void> {
  const { status } = await chargeSlips.read(change.transaction, change.organization, id);
  const move = nextSlipMove(status, draw);
  if (move !== null) await playChargeSlip(change, id, move);
}

/** Applies a transition to a charge's payment slip, with its barcode. Charges have no PIX code. */
export async function playChargeSlip(change: Change, id: number, move: SlipMove) {
  const { due_date, charge } = await chargeSlips.read(change.transaction, change.organization, id);
  if (move.status === 'issued') {
    const { amount } = charge;
    const barcode = bankSlipLine({ amount, dueDate: due_date ?? change.today, number: id });
    return moveChargeSlip(change, id, { status: 'issued', amount, barcode });
  }
  return moveChargeSlip(change, id, withoutPayment(move));
}

/** Performs the next step of an ANTT violation's payment slip. @throws HttpError 404 when it no longer exists. */
export async function stepAnttTicket(change: Change, id: number, draw: Draw): Promise<void> {
  const { status } = await anttTickets.read(change.transaction, change.organization, id);
  const move = nextSlipMove(status, draw);
  if (move !== null) await playAnttTicket(change, id, move);
}

/** Applies a transition to an ANTT violation's payment slip, with its barcode or PIX code. */
export async function playAnttTicket(change: Change, id: number, move: SlipMove) {
  if (move.status !== 'issued') return moveAnttTicket(change, id, withoutPayment(move));
  const { due_date } = await anttTickets.read(change.transaction, change.organization, id);
  const amount = await amountDue(change, id);
  if (move.method === 'pix') {
    const pix = pixCode({
      amount,
      key: 'arrecadacao@antt.example',
      receiver: 'ANTT',
      city: 'BRASILIA',
      reference: `ANTT${String(id)}`,
    });
    return moveAnttTicket(change, id, { status: 'issued', amount, payment_method: 'pix', pix });
  }
  const barcode = bankSlipLine({ amount, dueDate: due_date ?? change.today, number: id });
  return moveAnttTicket(change, id, { status: 'issued', amount, payment_method: 'bank_slip', barcode });
}

/** Returns the transition of a slip that is not issued, so has no means of payment. */
function withoutPayment(move: Exclude<SlipMove, { readonly status: 'issued' }>) {
  return move.status === 'requested' ? move : { status: move.status, status_reason: move.reason };
}

/** Performs the next step of a traffic violation's payment slip. @throws HttpError 404 when it no longer exists. */
export async function stepViolationTicket(change: Change, id: number, draw: Draw): Promise<void> {
  const { status } = await violationTickets.row(change.transaction, change.organization, id);
  const move = nextSlipMove(status, draw);
  if (move !== null) await playViolationTicket(change, id, move);
}

/** Applies a transition to a traffic violation's payment slip, which stores no reason. */
export function playViolationTicket(change: Change, id: number, move: SlipMove) {
  if (move.status === 'issued') return issueViolationTicket(change, id, move.method);
  return moveViolationTicket(change, id, move.status);
}

/** Returns the amount of a payment slip's violation, in reais. */
async function amountDue({ transaction }: Change, id: number): Promise<number> {
  const { amount } = await transaction
    .selectFrom('antt_violation_tickets')
    .innerJoin('antt_violations', 'antt_violations.id', 'antt_violation_tickets.antt_violation_id')
    .select('antt_violations.amount')
    .where('antt_violation_tickets.id', '=', id)
    .executeTakeFirstOrThrow();
  return amount ?? 0;
}
