/** Chooses the next move of an indication. */
import type { DocumentStatus, IndicationStatus } from '../indications/indication-tables.ts';
import type { IndicationMove } from '../indications/change-indication.ts';
import type { Draw } from './pace-and-odds.ts';

/** The state that decides what happens next to an indication. */
export interface IndicationState {
  readonly status: IndicationStatus;
  /** Null without a document to sign. */
  readonly document_status: DocumentStatus | null;
  /** State of the deadline for indications. */
  readonly deadline: 'open' | 'over' | 'none';
}

/** What happens next to an indication. */
export type IndicationNext =
  | { readonly to: 'move'; readonly status: IndicationMove; readonly reason: string | null }
  /** The next signer signs, or refuses. */
  | { readonly to: 'sign' }
  | { readonly to: 'refuse'; readonly reason: string }
  /** Wait for the deadline. */
  | { readonly to: 'wait' };

const move = (status: IndicationMove, reason: string | null = null): IndicationNext => ({
  to: 'move',
  status,
  reason,
});

/** Decides the next transition of an indication; null when its status is final. */
export function nextIndicationMove(state: IndicationState, draw: Draw): IndicationNext | null {
  switch (state.status) {
    case 'pending':
      return nextOfPending(state, draw);
    case 'review':
      return draw.happens('agency voids an indication')
        ? move('voided', 'Indicação impedida pelo órgão autuador')
        : move('filed');
    case 'accepted':
    case 'filed':
    case 'expired':
    case 'rejected':
    case 'failed':
    case 'voided':
    case 'canceled':
      return null;
  }
}

function nextOfPending({ document_status, deadline }: IndicationState, draw: Draw): IndicationNext {
  if (deadline === 'over') return move('expired', 'Prazo para indicação encerrado');
  if (document_status === 'refused') return { to: 'wait' };
  if (deadline === 'open' && draw.happens('driver does not answer')) return { to: 'wait' };
  if (document_status === 'pending')
    return draw.happens('signer refuses')
      ? { to: 'refuse', reason: 'Signatário não reconhece a infração' }
      : { to: 'sign' };
  if (draw.happens('indication fails')) return move('failed', 'Falha na comunicação com o órgão autuador');
  if (draw.happens('driver rejects')) return move('rejected', 'Condutor não reconhece a infração');
  return move('accepted');
}
