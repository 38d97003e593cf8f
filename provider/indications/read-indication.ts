/** Reads driver indications. */
import type { Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import type { ProviderTables } from '../database/provider-tables.ts';
import { HttpError } from '../http/http-error.ts';
import { inOrganization } from '../list/in-organization.ts';
import { readAccessibleViolation } from '../traffic-violations/read-traffic-violation.ts';
import type { DocumentStatus, IndicationTables } from './indication-tables.ts';

/** An indication, joined with the label of its status, its document and the first signer. */
export type IndicationRow = Selectable<IndicationTables['traffic_violation_indications']> & {
  readonly status_label: string | null;
  readonly status_description: string | null;
  readonly document_id: number | null;
  readonly document_token: string | null;
  readonly document_name: string | null;
  readonly document_status: DocumentStatus | null;
  readonly document_signed_at: string | null;
  readonly document_created_at: string | null;
  readonly document_last_update_at: string | null;
  readonly signer_token: string | null;
  readonly sign_url: string | null;
};

function selectIndications(query: Kysely<ProviderTables>, organization: number) {
  return query
    .selectFrom('traffic_violation_indications as indications')
    .leftJoin('indication_rules as rules', (join) =>
      join
        .onRef('rules.organization_id', '=', 'indications.organization_id')
        .onRef('rules.status', '=', 'indications.status'),
    )
    .leftJoin('signing_documents as documents', 'documents.indication_id', 'indications.id')
    .leftJoin('document_signers as signers', (join) =>
      join.onRef('signers.document_id', '=', 'documents.id').on('signers.position', '=', 0),
    )
    .where(inOrganization('indications.organization_id', organization))
    .selectAll('indications')
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
    ]);
}

/** Finds one indication. */
export function findIndication(
  query: Kysely<ProviderTables>,
  organization: number,
  id: number,
): Promise<IndicationRow | undefined> {
  return selectIndications(query, organization).where('indications.id', '=', id).executeTakeFirst();
}

/** Reads one indication. @throws HttpError 404 */
export async function readIndication(
  query: Kysely<ProviderTables>,
  organization: number,
  id: number,
): Promise<IndicationRow> {
  const row = await findIndication(query, organization, id);
  if (row === undefined) throw new HttpError(404, 'Indication or traffic violation not found');
  return row;
}

/**
 * Reads one indication of a violation for its endpoints.
 *
 * @param ids of the violation and the indication.
 * @throws HttpError 404 unless the indication belongs to the violation; 403 while the link of its user is inactive.
 */
export async function readAccessibleIndication(
  query: Kysely<ProviderTables>,
  organization: number,
  { id, indicationId }: { readonly id: number; readonly indicationId: number },
): Promise<IndicationRow> {
  const row = await readIndication(query, organization, indicationId);
  if (row.traffic_violation_id !== id) throw new HttpError(404, 'Indication or traffic violation not found');
  await readAccessibleViolation(query, organization, id);
  return row;
}

/** Reads the indications of one violation, oldest first. */
export async function readIndicationsOf(
  query: Kysely<ProviderTables>,
  organization: number,
  violationId: number,
) {
  const rows = await selectIndications(query, organization)
    .where('indications.traffic_violation_id', '=', violationId)
    .orderBy('indications.id')
    .execute();
  return rows.map(indicationRecord);
}

const storedVars = z.record(z.string(), z.string());

/** Parses the values for the document templates. */
export function varsOf({ vars }: Pick<IndicationRow, 'vars'>): Readonly<Record<string, string>> {
  return vars === null ? {} : storedVars.parse(JSON.parse(vars));
}

/** Converts a row to the record that responses and webhooks carry (specification, Resources, Driver indication). */
export function indicationRecord(row: IndicationRow) {
  return {
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
  };
}
