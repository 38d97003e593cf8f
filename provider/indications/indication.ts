/** The record of driver indications, with the label of the status and the document to sign. */
import { z } from 'zod';
import { HttpError } from '../http/http-error.ts';
import { records, type Connection, type RowOf } from '../list/records.ts';
import { readAccessibleViolation } from '../traffic-violations/traffic-violation.ts';
import {
  documentSignerTable,
  indicationRuleTable,
  indicationTable,
  signingDocumentTable,
} from './indication-tables.ts';

export const indications = records({
  tables: [indicationTable, indicationRuleTable, signingDocumentTable, documentSignerTable],
  missing: () => new HttpError(404, 'Indication or traffic violation not found'),
  select: (query) =>
    query
      .selectFrom('traffic_violation_indications')
      .leftJoin('indication_rules as rules', (join) =>
        join
          .onRef('rules.organization_id', '=', 'traffic_violation_indications.organization_id')
          .onRef('rules.status', '=', 'traffic_violation_indications.status'),
      )
      .leftJoin(
        'signing_documents as documents',
        'documents.indication_id',
        'traffic_violation_indications.id',
      )
      // The first signer.
      .leftJoin('document_signers as signers', (join) =>
        join.onRef('signers.document_id', '=', 'documents.id').on('signers.position', '=', 0),
      )
      .selectAll('traffic_violation_indications')
      .select([
        'rules.label as status_label',
        'rules.description as status_description',
        'documents.id as document_id',
        'documents.token as document_token',
        'documents.name as document_name',
        'documents.status as document_status',
        'documents.signed_at as document_signed_at',
        'documents.created_at as document_created_at',
        'documents.last_update_at as document_last_update_at',
        'signers.token as signer_token',
        'signers.sign_url as sign_url',
      ]),
  json: (row) => ({
    id: row.id,
    status: row.status,
    status_reason: row.status_reason,
    status_label: row.status_label,
    status_description: row.status_description,
    tax_id: row.tax_id,
    name: row.name,
    email: row.email,
    phone: row.phone,
    flow: row.flow,
    license: row.license,
    id_number: row.id_number,
    id_issuer: row.id_issuer,
    transfer: row.transfer === null ? null : row.transfer === 1,
    external: row.external === 1,
    document_token: row.document_token,
    signer_token: row.signer_token,
    sign_url: row.sign_url,
    document_status: row.document_status,
    document_signed_at: row.document_signed_at,
    vars: varsOf(row),
    requester_email: row.requester_email,
    requester_phone: row.requester_phone,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }),
});

export type IndicationRow = RowOf<typeof indications>;

/**
 * Reads one indication of a violation for its endpoints.
 *
 * @param ids of the violation and the indication.
 * @throws HttpError 404 unless the indication belongs to the violation; 403 while the link of its user is inactive.
 */
export async function readAccessibleIndication(
  query: Connection,
  organization: number,
  { id, indicationId }: { readonly id: number; readonly indicationId: number },
): Promise<IndicationRow> {
  const row = await indications.row(query, organization, indicationId);
  if (row.traffic_violation_id !== id) throw indications.missing(indicationId);
  await readAccessibleViolation(query, organization, id);
  return row;
}

const storedVars = z.record(z.string(), z.string());

/** Parses the values for the document templates. */
export function varsOf({ vars }: { readonly vars: string | null }): Readonly<Record<string, string>> {
  return vars === null ? {} : storedVars.parse(JSON.parse(vars));
}
