/** The anomalies of an indication and its document. */
import { isPhase, nextPhase } from 'portaria';
import { documentTable, statusTable, type IndicationChange } from './state.ts';

/** Describes what is unexpected about a change of an indication, or contradicts the specification. */
export function indicationAnomalies(change: IndicationChange): readonly string[] {
  return [...statusAnomalies(change), ...documentAnomalies(change)];
}

function statusAnomalies({ before, after, event }: IndicationChange): readonly string[] {
  const found: string[] = [];
  if (!isPhase(statusTable, after.status)) found.push(`status ${after.status} is not known`);
  const created = event.kind.endsWith('.created');
  if (before.status === 'none') {
    // If the first event is an update, the indication is older than the receiver. An external one may have any status.
    if (created && !after.external && after.status !== 'pending') {
      found.push(`created as ${after.status}, instead of pending`);
    }
    return found;
  }
  if (created) found.push('created again');
  if (after.status !== before.status && nextPhase(statusTable, before.status, after.status) === undefined) {
    found.push(`${before.status} became ${after.status}`);
  }
  return found;
}

function documentAnomalies({ before, after, event }: IndicationChange): readonly string[] {
  const { document_signed_at: signedAt, status_reason: reason } = event.data;
  const found: string[] = [];
  if (!isPhase(documentTable, after.document)) found.push(`document status ${after.document} is not known`);
  const moved = after.document !== before.document;
  // After `none` any status is possible: the document may be older than the receiver.
  if (
    moved &&
    before.document !== 'none' &&
    nextPhase(documentTable, before.document, after.document) === undefined
  ) {
    found.push(`the document was ${before.document} and became ${after.document}`);
  }
  if (after.document === 'signed') {
    if (signedAt == null) found.push('the document is signed, without document_signed_at');
    if (moved && after.status === 'pending')
      found.push('the document is signed, but the indication is still pending');
  } else {
    if (signedAt != null) found.push(`document_signed_at on a document that is ${after.document}`);
    // An external indication may not show its document.
    if (after.status === 'review' && !after.external) found.push('in review without a signed document');
  }
  if (moved && after.document === 'refused') {
    if (after.status !== 'pending')
      found.push(`the document was refused, but the indication is ${after.status}`);
    if (reason == null || reason === '') found.push('the document was refused without a reason');
  }
  return found;
}
