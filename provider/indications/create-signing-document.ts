/** Creates the documents to sign for indications. */
import type { NewIndication } from '../../src/contract/api/indication-endpoints.ts';
import type { Change } from '../change.ts';
import type { Provider } from '../provider.ts';

/** Draws tokens and gives the base of the signing addresses. */
export type Signing = Pick<Provider, 'createSecret' | 'baseUrl'>;

interface Signer {
  readonly name: string | null;
  readonly email: string | null;
}

/**
 * Creates the document of an indication and sends it to its signers: the driver
 * and, in a transfer of responsibility, the requester.
 */
export async function addSigningDocument(
  change: Change,
  indication: { readonly id: number; readonly ait: string | null; readonly request: NewIndication },
  signing: Signing,
): Promise<void> {
  const { request, ait } = indication;
  const name = `${request.transfer === true ? 'FICI' : 'Indicação de condutor'} - AIT ${ait ?? 'sem número'}`;
  const documentId = await insertDocument(change, indication.id, name, signing);
  await recordDocumentEvent(change, documentId, 'created', `Documento ${name} criado`);
  for (const [position, signer] of signersOf(request).entries()) {
    await insertSigner(change, documentId, position, signer, signing);
    await recordDocumentEvent(
      change,
      documentId,
      'sent',
      `Enviado para assinatura de ${signerLabel(signer)}`,
    );
  }
}

/** Returns the name of a signer in the audit trail. */
export function signerLabel({ name, email }: Signer): string {
  return name ?? email ?? 'signatário';
}

function signersOf({ name, email, transfer, requester_email }: NewIndication): Signer[] {
  const driver = { name: name ?? null, email: email ?? null };
  if (transfer !== true || requester_email === undefined) return [driver];
  return [driver, { name: null, email: requester_email }];
}

async function insertDocument(
  { transaction, organization, at }: Change,
  indicationId: number,
  name: string,
  { createSecret }: Signing,
): Promise<number> {
  const { id } = await transaction
    .insertInto('signing_documents')
    .values({
      organization_id: organization,
      indication_id: indicationId,
      token: `doc_${createSecret()}`,
      name,
      status: 'pending',
      created_at: at,
      last_update_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function insertSigner(
  { transaction, organization }: Change,
  documentId: number,
  position: number,
  signer: Signer,
  { createSecret, baseUrl }: Signing,
): Promise<void> {
  const token = `sgn_${createSecret()}`;
  await transaction
    .insertInto('document_signers')
    .values({
      ...signer,
      organization_id: organization,
      document_id: documentId,
      position,
      token,
      sign_url: `${baseUrl()}/sign/${token}`,
      status: 'pending',
      times_viewed: 0,
    })
    .execute();
}

/** Adds an event to the audit trail of a document. @param description in Portuguese, for end users. */
export async function recordDocumentEvent(
  { transaction, organization, at }: Change,
  documentId: number,
  event: 'created' | 'sent' | 'viewed' | 'signed' | 'completed' | 'refused' | 'expired' | 'canceled',
  description: string,
): Promise<void> {
  await transaction
    .insertInto('document_events')
    .values({ organization_id: organization, document_id: documentId, event, description, created_at: at })
    .execute();
  await transaction
    .updateTable('signing_documents')
    .set({ last_update_at: at })
    .where('id', '=', documentId)
    .execute();
}
