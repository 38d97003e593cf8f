import type { Change } from '../change.ts';
import { Refusal } from '../http/refusal.ts';
import { refuseMove } from '../http/refuse-move.ts';
import type { DocumentStatus, IndicationStatus } from './indication-tables.ts';
import { noteDocumentEvent } from './note-document-event.ts';
import { readAccessibleIndication, readIndication, type IndicationRow } from './read-indication.ts';
import { updateIndication } from './tell-indication.ts';

/** What others decide: the driver, the agency, the deadline. Signing and canceling have rules of their own. */
export type IndicationMove = 'accepted' | 'filed' | 'expired' | 'rejected' | 'failed' | 'voided';

const afterReview: readonly IndicationMove[] = ['accepted', 'filed', 'failed', 'voided'];

/** What an indication can become (the specification leaves most moves open). */
const nextStatuses: Readonly<Record<IndicationStatus, readonly IndicationMove[]>> = {
  pending: [...afterReview, 'expired', 'rejected'],
  review: afterReview,
  accepted: ['filed', 'failed', 'voided'],
  filed: ['accepted', 'failed', 'voided'],
  expired: [],
  rejected: [],
  failed: [],
  voided: [],
  canceled: [],
};

/**
 * Moves an indication on, and tells `traffic-violation.indication.updated`. A
 * document that nobody has finished signing is over with it.
 *
 * @param reason what `status_reason` says.
 * @throws Refusal 404, 409 when it cannot become that.
 */
export async function moveIndication(
  change: Change,
  id: number,
  status: IndicationMove,
  reason: string | null = null,
) {
  const indication = await readIndication(change.transaction, change.organization, id);
  const { status: from } = indication;
  refuseMove('An indication', { from, to: status }, { [from]: movesOf(indication) });
  await endDocument(change, indication, status === 'expired' ? 'expired' : 'canceled');
  return updateIndication(change, id, { status, status_reason: reason });
}

/**
 * Cancels a pending indication, its unsigned document included (specification,
 * States and transitions).
 *
 * @throws Refusal 404, 403 while the user's link is inactive, 409 when it is not pending, or only observed.
 */
export async function cancelIndication(
  change: Change,
  ids: { readonly id: number; readonly indicationId: number },
): Promise<void> {
  const indication = await readAccessibleIndication(change.transaction, change.organization, ids);
  if (indication.status !== 'pending')
    throw new Refusal(409, `The indication is ${indication.status}: only a pending one can be canceled`);
  if (indication.external === 1)
    throw new Refusal(409, 'The indication was made outside the provider and is only observed');
  await endDocument(change, indication, 'canceled');
  await updateIndication(change, indication.id, { status: 'canceled', status_reason: null });
}

/** By document, what is pending has to be signed before anybody accepts or files it. */
function movesOf({ status, flow, external }: IndicationRow): readonly IndicationMove[] {
  const moves = nextStatuses[status];
  if (status !== 'pending' || flow !== 'form' || external === 1) return moves;
  return moves.filter((move) => move !== 'accepted' && move !== 'filed');
}

async function endDocument(
  change: Change,
  { document_id, document_status }: IndicationRow,
  status: Extract<DocumentStatus, 'expired' | 'canceled'>,
): Promise<void> {
  if (document_id === null || document_status !== 'pending') return;
  await change.transaction
    .updateTable('signing_documents')
    .set({ status })
    .where('id', '=', document_id)
    .execute();
  const description = status === 'expired' ? 'Prazo de assinatura encerrado' : 'Documento cancelado';
  await noteDocumentEvent(change, document_id, status, description);
}
