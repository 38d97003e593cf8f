/** What signers do with a document: view, sign or refuse it. */
import type { Selectable } from 'kysely';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { HttpError } from '../http/http-error.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { updateIndication } from './change-indication.ts';
import { recordDocumentEvent, signerLabel } from './create-signing-document.ts';
import { indications } from './indication.ts';

type Signer = Selectable<ProviderTables['document_signers']>;

/** Records that a signer has opened the document. @throws HttpError 404 without the signer. */
export async function viewDocument(change: Change, indicationId: number, signerToken: string): Promise<void> {
  const signer = await signerOf(change, indicationId, signerToken);
  await change.transaction
    .updateTable('document_signers')
    .set({ times_viewed: signer.times_viewed + 1, last_view_at: change.at })
    .where('id', '=', signer.id)
    .execute();
  await recordDocumentEvent(change, signer.document_id, 'viewed', `Visualizado por ${signerLabel(signer)}`);
}

/**
 * Records the signature of a signer. The last signature changes the document to
 * `signed` and the indication to `review`, which emits its webhook (specification,
 * Events).
 *
 * @throws HttpError 404 without the signer, 409 when the document or the signer is not pending.
 */
export async function signDocument(change: Change, indicationId: number, signerToken: string): Promise<void> {
  const signer = await pendingSigner(change, indicationId, signerToken);
  const { document_id } = signer;
  await change.transaction
    .updateTable('document_signers')
    .set({ status: 'signed', signed_at: change.at })
    .where('id', '=', signer.id)
    .execute();
  await recordDocumentEvent(change, document_id, 'signed', `Assinado por ${signerLabel(signer)}`);
  const missing = await change.transaction
    .selectFrom('document_signers')
    .select('id')
    .where('document_id', '=', document_id)
    .where('status', '!=', 'signed')
    .executeTakeFirst();
  if (missing !== undefined) return;
  await change.transaction
    .updateTable('signing_documents')
    .set({ status: 'signed', signed_at: change.at })
    .where('id', '=', document_id)
    .execute();
  await recordDocumentEvent(change, document_id, 'completed', 'Assinado por todos os signatários');
  await updateIndication(change, indicationId, { status: 'review', status_reason: null });
  await scheduleStep(change, 'indication', indicationId, 'indication is reviewed');
}

/**
 * Records that a signer refuses to sign. The document changes to `refused`. The
 * indication stays `pending`, gets the reason as `status_reason`, and emits its
 * webhook (specification, Events).
 *
 * @throws HttpError 404 without the signer, 409 when the document or the signer is not pending.
 */
export async function refuseDocument(
  change: Change,
  indicationId: number,
  signerToken: string,
  reason: string,
): Promise<void> {
  const signer = await pendingSigner(change, indicationId, signerToken);
  await change.transaction
    .updateTable('document_signers')
    .set({ status: 'refused' })
    .where('id', '=', signer.id)
    .execute();
  await change.transaction
    .updateTable('signing_documents')
    .set({ status: 'refused' })
    .where('id', '=', signer.document_id)
    .execute();
  await recordDocumentEvent(
    change,
    signer.document_id,
    'refused',
    `Recusado por ${signerLabel(signer)}: ${reason}`,
  );
  await updateIndication(change, indicationId, { status_reason: reason });
}

/** Reads the tokens of the signers who have not signed yet, in signing order. */
export async function pendingSigners(
  { transaction, organization }: Change,
  indicationId: number,
): Promise<readonly string[]> {
  const rows = await transaction
    .selectFrom('document_signers')
    .innerJoin('signing_documents', 'signing_documents.id', 'document_signers.document_id')
    .select('document_signers.token')
    .where('signing_documents.indication_id', '=', indicationId)
    .where('document_signers.organization_id', '=', organization)
    .where('document_signers.status', '=', 'pending')
    .orderBy('document_signers.position')
    .execute();
  return rows.map(({ token }) => token);
}

async function pendingSigner(change: Change, indicationId: number, signerToken: string): Promise<Signer> {
  const { transaction, organization } = change;
  const { document_status } = await indications.row(transaction, organization, indicationId);
  if (document_status !== 'pending')
    throw new HttpError(409, `The document cannot be signed: it is ${document_status ?? 'not there'}`);
  const signer = await signerOf(change, indicationId, signerToken);
  if (signer.status !== 'pending')
    throw new HttpError(409, `The signer has ${signer.status} the document already`);
  return signer;
}

async function signerOf(
  { transaction, organization }: Change,
  indicationId: number,
  token: string,
): Promise<Signer> {
  const signer = await transaction
    .selectFrom('document_signers')
    .innerJoin('signing_documents', 'signing_documents.id', 'document_signers.document_id')
    .selectAll('document_signers')
    .where('document_signers.token', '=', token)
    .where('signing_documents.indication_id', '=', indicationId)
    .where('document_signers.organization_id', '=', organization)
    .executeTakeFirst();
  if (signer === undefined) throw new HttpError(404, 'No such signer of this indication');
  return signer;
}
