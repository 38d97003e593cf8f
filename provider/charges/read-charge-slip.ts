/** Reads payment slips of charges. */
import type { Kysely, Selectable } from 'kysely';
import {
  companyReference,
  companyReferenceColumns,
  type Audience,
  type CompanyReferenceColumns,
} from '../companies/company-reference.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { notFound } from '../http/http-error.ts';
import { inOrganization } from '../list/in-organization.ts';
import type { ChargeTables } from './charge-tables.ts';

/** A payment slip, joined with its charge and its company. */
type Row = Selectable<ChargeTables['charge_payment_slips']> &
  CompanyReferenceColumns & {
    readonly charge_external_uid: string | null;
    readonly charge_code: string | null;
    readonly charge_description: string | null;
    readonly charge_due_date: string | null;
    readonly charge_amount: number | null;
  };

/** Selects the payment slips of an organization, joined with their charges, for filters. */
export function selectChargeSlips(query: Kysely<ProviderTables>, organization: number) {
  return joinChargeSlips(query).where('charge_payment_slips.organization_id', '=', organization);
}

function joinChargeSlips(query: Kysely<ProviderTables>) {
  return query
    .selectFrom('charge_payment_slips')
    .innerJoin('charges', 'charges.id', 'charge_payment_slips.charge_id');
}

function selectRecords(query: Kysely<ProviderTables>, organization: number) {
  return joinChargeSlips(query)
    .where(inOrganization('charge_payment_slips.organization_id', organization))
    .innerJoin('companies', 'companies.id', 'charges.company_id')
    .selectAll('charge_payment_slips')
    .select([
      'charges.external_uid as charge_external_uid',
      'charges.code as charge_code',
      'charges.description as charge_description',
      'charges.due_date as charge_due_date',
      'charges.amount as charge_amount',
      ...companyReferenceColumns,
    ])
    .orderBy('charge_payment_slips.id');
}

/** Reads one payment slip as webhooks carry it. @throws HttpError 404 */
export async function readChargeSlip(query: Kysely<ProviderTables>, organization: number, id: number) {
  const row = await selectRecords(query, organization)
    .where('charge_payment_slips.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw notFound('Ticket', id);
  return slipRecord(row, 'webhook');
}

/** Reads the payment slips with these ids, ordered by id. */
export async function readChargeSlips(
  query: Kysely<ProviderTables>,
  organization: number,
  ids: readonly number[],
) {
  const rows = await selectRecords(query, organization).where('charge_payment_slips.id', 'in', ids).execute();
  return rows.map((row) => slipRecord(row, 'response'));
}

/** Reads the payment slips of one charge, oldest first. */
export async function readSlipsOfCharge(
  query: Kysely<ProviderTables>,
  organization: number,
  chargeId: number,
) {
  const rows = await selectRecords(query, organization)
    .where('charge_payment_slips.charge_id', '=', chargeId)
    .execute();
  return rows.map((row) => slipRecord(row, 'response'));
}

function slipRecord(row: Row, audience: Audience) {
  return {
    id: row.id,
    status: row.status,
    amount: row.amount,
    barcode: row.barcode,
    due_date: row.due_date,
    status_reason: row.status_reason,
    last_synced_at: row.last_synced_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    charge: {
      id: row.charge_id,
      external_uid: row.charge_external_uid,
      code: row.charge_code,
      description: row.charge_description,
      due_date: row.charge_due_date,
      amount: row.charge_amount,
      company: companyReference(row, audience),
    },
  };
}
