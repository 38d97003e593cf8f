import type { Change } from '../change.ts';

/** Adds to the audit trail of a document. @param description in Portuguese: people read it. */
export async function noteDocumentEvent(
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
