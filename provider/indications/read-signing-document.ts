/** Reads the signing documents of indications, as records and as files. */
import { z } from 'zod';
import { fileAddress } from '../files/file-address.ts';
import { labelled, type PageOfText } from '../files/page-of-text.ts';
import { HttpError } from '../http/http-error.ts';
import type { Provider } from '../provider.ts';
import { trafficViolations } from '../traffic-violations/traffic-violation.ts';
import { type IndicationRow, indications, readAccessibleIndication, varsOf } from './indication.ts';

/**
 * Reads the signing status of an indication's document (specification, Resources,
 * Signing document record). The addresses of its files are valid for 15 minutes.
 *
 * @throws HttpError 404 without the indication or its document, 403 while the link of the violation's user is inactive.
 */
export async function readSigningDocument(
  provider: Provider,
  organization: number,
  ids: { readonly id: number; readonly indicationId: number },
) {
  const { query } = provider;
  const indication = await readAccessibleIndication(query, organization, ids);
  const { id, document_id, document_token, document_status, sign_url } = indication;
  if (document_id === null) throw new HttpError(404, 'No signing document found for this indication');
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

/** Returns the text of an indication's document, or null when the indication has none. */
export async function signingDocumentFile(
  provider: Provider,
  organization: number,
  id: number,
): Promise<PageOfText | null> {
  const indication = await indications.find(provider.query, organization, id);
  if (indication?.document_name == null) return null;
  const violation = await trafficViolations.row(
    provider.query,
    organization,
    indication.traffic_violation_id,
  );
  return {
    title: indication.document_name,
    lines: [
      ...labelled('Auto de infração', violation.ait),
      ...labelled('Placa', violation.license_plate),
      ...labelled('Infração', violation.description),
      ...labelled('Órgão autuador', violation.agency_name ?? violation.agency_code),
      '',
      ...labelled('Condutor', indication.name),
      ...labelled('CPF', indication.tax_id),
      ...labelled('Registro da CNH', indication.license),
      ...labelled('Documento de identidade', identityText(indication)),
      ...(indication.transfer === 1
        ? ['', 'O condutor acima identificado assume a responsabilidade pela infração.']
        : []),
      '',
      ...labelled('Modelos', templatesText(indication)),
      ...Object.entries(varsOf(indication)).flatMap(([name, value]) => labelled(name, value)),
    ],
  };
}

/** Returns the text of the document with its signatures, or null until all signers have signed. */
export async function signedDocumentFile(
  provider: Provider,
  organization: number,
  id: number,
): Promise<PageOfText | null> {
  const document = await signingDocumentFile(provider, organization, id);
  const signatures = await provider.query
    .selectFrom('signing_documents')
    .innerJoin('document_signers', 'document_signers.document_id', 'signing_documents.id')
    .select(['document_signers.name', 'document_signers.email', 'document_signers.signed_at'])
    .where('signing_documents.indication_id', '=', id)
    .where('signing_documents.organization_id', '=', organization)
    .where('signing_documents.status', '=', 'signed')
    .orderBy('document_signers.position')
    .execute();
  if (document === null || signatures.length === 0) return null;
  const lines = signatures.map(
    ({ name, email, signed_at }) => `Assinado por ${name ?? email ?? 'signatário'} em ${signed_at ?? ''}`,
  );
  return { ...document, lines: [...document.lines, '', ...lines] };
}

function identityText({ id_number, id_issuer }: IndicationRow): string | null {
  return id_number === null ? null : [id_number, id_issuer].filter((part) => part !== null).join(' ');
}

function templatesText({ documents }: IndicationRow): string | null {
  if (documents === null) return null;
  return z.array(z.number()).parse(JSON.parse(documents)).join(', ') || null;
}
