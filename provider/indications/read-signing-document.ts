import { fileAddress } from '../files/file-address.ts';
import { Refusal } from '../http/refusal.ts';
import type { Provider } from '../provider.ts';
import { readAccessibleIndication } from './read-indication.ts';

/**
 * How the signing of an indication's document stands (specification, Resources,
 * Signing document record). The addresses of its files work for 15 minutes.
 *
 * @throws Refusal 404 without indication or document, 403 while the link of the violation's user is inactive.
 */
export async function readSigningDocument(
  provider: Provider,
  organization: number,
  ids: { readonly id: number; readonly indicationId: number },
) {
  const { query } = provider;
  const indication = await readAccessibleIndication(query, organization, ids);
  const { id, document_id, document_token, document_status, sign_url } = indication;
  if (document_id === null) throw new Refusal(404, 'No signing document found for this indication');
  const signers = await query
    .selectFrom('document_signers')
    .select(['token', 'status', 'name', 'email', 'times_viewed', 'last_view_at', 'signed_at'])
    .where('document_id', '=', document_id)
    .orderBy('position')
    .execute();
  const events = await query
    .selectFrom('document_events')
    .select(['created_at', 'event', 'description'])
    .where('document_id', '=', document_id)
    .orderBy('id')
    .execute();
  const isSigned = document_status === 'signed';
  return {
    document_token,
    document_status,
    sign_url,
    document: {
      token: document_token,
      status: document_status,
      name: indication.document_name,
      original_file: await fileAddress(provider, { organization, kind: 'signing-document', id }),
      signed_file: isSigned
        ? await fileAddress(provider, { organization, kind: 'signed-document', id })
        : null,
      created_at: indication.document_created_at,
      last_update_at: indication.document_last_update_at,
      signers,
    },
    audit_trail: events,
  };
}
