import type { DocumentStatus, IndicationStatus } from '../indications/indication-tables.ts';
import type { IndicationMove } from '../indications/change-indication.ts';
import type { Draw } from './draw.ts';

export interface IndicationStanding {
  readonly status: IndicationStatus;
  /** Null where there is nothing to sign. */
  readonly document_status: DocumentStatus | null;
  /** How the deadline for indications stands; without one nobody can miss it. */
  readonly deadline: 'open' | 'over' | 'none';
}

export type IndicationNext =
  | { readonly to: 'move'; readonly status: IndicationMove; readonly reason: string | null }
  /** The next of the signers signs, or refuses. */
  | { readonly to: 'sign' }
  | { readonly to: 'refuse'; readonly reason: string }
  /** Nothing happens until the deadline is over. */
  | { readonly to: 'wait' };

const move = (status: IndicationMove, reason: string | null = null): IndicationNext => ({
  to: 'move',
  status,
  reason,
});

/** What drivers and agencies do next with an indication; null when it has ended. */
export function nextIndicationMove(standing: IndicationStanding, draw: Draw): IndicationNext | null {
  switch (standing.status) {
    case 'pending':
      return nextOfPending(standing, draw);
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

function nextOfPending({ document_status, deadline }: IndicationStanding, draw: Draw): IndicationNext {
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
