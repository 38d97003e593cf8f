/** Controls of payment slips. */
import { z } from 'zod';
import { nonEmptyString } from '../../src/contract/api/body-field.ts';
import { numericId } from '../../src/contract/api/endpoint.ts';
import { paymentMethod } from '../../src/contract/record/payment-slip.ts';
import type { Change } from '../change.ts';
import type { SlipMove } from '../scenario/next-slip-move.ts';
import { playAnttTicket, playChargeSlip, playViolationTicket } from '../scenario/step-slips.ts';
import { changeRecord, type ControlledRecord } from './change-record.ts';
import { control, type Control } from './control.ts';

const statuses = 'expected requested, issued, rejected or failed';
const requested = z.strictObject({ status: z.literal('requested') });
const issued = z.strictObject({ status: z.literal('issued') });
const method = paymentMethod.default('bank_slip');
const ended = z.enum(['rejected', 'failed']);
const reason = nonEmptyString.default('Decidido pelo operador');

/** The bodies differ, because not every family stores a reason or a payment method. */
const chargeSlip = z.discriminatedUnion(
  'status',
  [requested, issued, z.strictObject({ status: ended, reason })],
  { error: statuses },
);
const anttTicket = z.discriminatedUnion(
  'status',
  [requested, issued.extend({ payment_method: method }), z.strictObject({ status: ended, reason })],
  { error: statuses },
);
const violationTicket = z.discriminatedUnion(
  'status',
  [requested, issued.extend({ payment_method: method }), z.strictObject({ status: ended })],
  { error: statuses },
);

/** Decisions of agencies on payment slips. */
export const slipControls: readonly Control[] = [
  slipControl(
    '/traffic-violations/tickets',
    'Traffic violation ticket',
    violationTicket,
    playViolationTicket,
  ),
  slipControl('/antt/violations/tickets', 'ANTT violation ticket', anttTicket, playAnttTicket),
  slipControl('/charges/payment-slips', 'Charge payment slip', chargeSlip, playChargeSlip),
];

type Body = z.output<typeof chargeSlip | typeof anttTicket | typeof violationTicket>;

function slipControl(
  path: string,
  name: ControlledRecord,
  body: z.ZodType<Body>,
  play: (change: Change, id: number, move: SlipMove) => Promise<object>,
): Control {
  return control(
    {
      method: 'post',
      path: `${path}/{id}/status`,
      summary: `${name}: set its status`,
      params: z.object({ id: numericId }),
      body,
    },
    async ({ params: { id }, body }, { provider }) => ({
      data: await changeRecord(provider, name, id, (change) => play(change, id, moveOf(body))),
    }),
  );
}

function moveOf(body: Body): SlipMove {
  switch (body.status) {
    case 'requested':
      return { status: 'requested' };
    case 'issued':
      return { status: 'issued', method: 'payment_method' in body ? body.payment_method : 'bank_slip' };
    case 'rejected':
    case 'failed':
      return { status: body.status, reason: 'reason' in body ? body.reason : '' };
  }
}
