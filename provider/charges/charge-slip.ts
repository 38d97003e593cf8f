/** Payment slips of charges: their table, their record and their list. */
import { companyReference, companyReferenceColumns, companyTable } from '../companies/company.ts';
import {
  hidden,
  id,
  organization,
  realOrNull,
  reference,
  shown,
  table,
  text,
  textOrNull,
} from '../database/table.ts';
import { notFound } from '../http/http-error.ts';
import { records } from '../list/records.ts';
import type { SlipStatus } from '../payment-slips/slip-rules.ts';
import { chargeTable } from './charge.ts';

export const chargeSlipTable = table(
  'charge_payment_slips',
  {
    id,
    organization_id: organization,
    charge_id: hidden(reference('charges', 'on delete cascade')),
    status: text<SlipStatus>(),
    amount: realOrNull(),
    barcode: textOrNull(),
    due_date: textOrNull(),
    status_reason: textOrNull(),
    last_synced_at: textOrNull(),
    created_at: text(),
    updated_at: text(),
  },
  {
    also: `
    create index charge_payment_slips_by_charge on charge_payment_slips (charge_id);
    create index charge_payment_slips_by_status on charge_payment_slips (organization_id, status, due_date);`,
  },
);

export const chargeSlips = records({
  tables: [chargeSlipTable, chargeTable, companyTable],
  missing: (id) => notFound('Ticket', id),
  select: (query) =>
    query
      .selectFrom('charge_payment_slips')
      .innerJoin('charges', 'charges.id', 'charge_payment_slips.charge_id')
      .innerJoin('companies', 'companies.id', 'charges.company_id')
      .selectAll('charge_payment_slips')
      .select([
        'charges.external_uid as charge_external_uid',
        'charges.code as charge_code',
        'charges.description as charge_description',
        'charges.due_date as charge_due_date',
        'charges.amount as charge_amount',
        ...companyReferenceColumns,
      ]),
  json: (row, audience) => ({
    ...shown(chargeSlipTable, row),
    charge: {
      id: row.charge_id,
      external_uid: row.charge_external_uid,
      code: row.charge_code,
      description: row.charge_description,
      due_date: row.charge_due_date,
      amount: row.charge_amount,
      company: companyReference(row, audience),
    },
  }),
  filters: {
    status: 'charge_payment_slips.status',
    due_date: 'charge_payment_slips.due_date',
    agency: 'charges.agency',
  },
  list: (query) =>
    query
      .selectFrom('charge_payment_slips')
      .innerJoin('charges', 'charges.id', 'charge_payment_slips.charge_id'),
});
