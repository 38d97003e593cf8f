import { nextPhase } from 'portaria';
import { paymentCodes, type SlipChange } from './state.ts';
import { table } from './table.ts';

/** What is unlikely about a change of a slip, or at odds with the specification. */
export function slipAnomalies({ before, after, event }: SlipChange): readonly string[] {
  const found: string[] = [];
  const created = event.kind.endsWith('.created');
  if (before.status === 'none') {
    // An update that comes first: the slip is older than the receiver.
    if (created && after.status !== 'pending') found.push(`created as ${after.status}, instead of pending`);
  } else {
    if (created) found.push('created again');
    if (after.status !== before.status && nextPhase(table, before.status, after.status) === undefined) {
      found.push(`${before.status} became ${after.status}`);
    }
  }

  const { barcode, pix } = paymentCodes(event);
  const method = 'payment_method' in event.data ? event.data.payment_method : null;
  if (after.status === 'issued') {
    if (method === 'pix' && pix === null) found.push('issued for PIX without its code');
    else if (barcode === null && pix === null) found.push('issued without barcode or PIX code');
  }
  if (pix !== null && method !== 'pix') found.push('a PIX code with another payment method');
  return found;
}
