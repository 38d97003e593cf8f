import type { z } from 'zod';
import type { slipStatus } from '../../src/contract/record/payment-slip.ts';
import { refuseMove } from '../http/refuse-move.ts';

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
export function refuseSlipMove(from: SlipStatus, to: SlipStatus): void {
  refuseMove('A payment slip', { from, to }, nextStatuses);
}
