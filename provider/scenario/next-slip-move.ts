/** Chooses the next move of a payment slip. */
import type { SlipStatus } from '../payment-slips/slip-rules.ts';
import type { Draw } from './pace-and-odds.ts';

/** A transition of a payment slip. */
export type SlipMove =
  | { readonly status: 'requested' }
  | { readonly status: 'issued'; readonly method: 'bank_slip' | 'pix' }
  | { readonly status: 'rejected' | 'failed'; readonly reason: string };

/** Decides the next transition of a payment slip; null when its status is final. */
export function nextSlipMove(status: SlipStatus, draw: Draw): SlipMove | null {
  switch (status) {
    case 'pending':
      return draw.happens('slip fails')
        ? { status: 'failed', reason: 'Falha na comunicação com o órgão autuador' }
        : { status: 'requested' };
    case 'requested':
      if (draw.happens('slip fails')) return { status: 'failed', reason: 'Boleto não gerado pelo órgão' };
      if (draw.happens('agency rejects'))
        return { status: 'rejected', reason: 'Débito não disponível para pagamento' };
      return { status: 'issued', method: draw.happens('slip is paid by PIX') ? 'pix' : 'bank_slip' };
    case 'issued':
    case 'rejected':
    case 'failed':
      return null;
  }
}
