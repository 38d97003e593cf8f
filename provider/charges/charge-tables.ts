/** The tables of charges, and their migration. */
import type { Generated } from 'kysely';
import type { Migration } from '../database/migration.ts';
import type { SlipStatus } from '../payment-slips/slip-rules.ts';

/** The tables of charges and their payment slips. */
export interface ChargeTables {
  charges: {
    id: Generated<number>;
    organization_id: number;
    company_id: number;
    external_uid: string | null;
    code: string | null;
    key: string | null;
    description: string | null;
    date: string | null;
    due_date: string | null;
    agency: string | null;
    type: 'fine' | 'fee' | 'tax';
    status: 'pending' | 'paid' | 'overdue';
    amount: number | null;
  };
  charge_payment_slips: {
    id: Generated<number>;
    organization_id: number;
    charge_id: number;
    status: SlipStatus;
    amount: number | null;
    barcode: string | null;
    due_date: string | null;
    status_reason: string | null;
    last_synced_at: string | null;
    created_at: string;
    updated_at: string;
  };
}

/** Creates {@link ChargeTables}. */
export const addCharges: Migration = {
  name: 'charges and their payment slips',
  sql: `
    create table charges (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      company_id integer not null references companies (id),
      external_uid text,
      code text,
      key text,
      description text,
      date text,
      due_date text,
      agency text,
      type text not null,
      status text not null,
      amount real
    );
    -- For lists without filters, ordered by id.
    create index charges_by_organization on charges (organization_id);
    -- Covering indexes: a list finds its ids in one index, whatever its other filters.
    create index charges_by_company on charges (organization_id, company_id, status, type, agency, due_date, date);
    create index charges_by_status on charges (organization_id, status, type, agency, company_id, due_date, date);
    create index charges_by_due_date on charges (organization_id, due_date, status, type, agency, company_id, date);
    create index charges_by_date on charges (organization_id, date, status, type, agency, company_id, due_date);
    create index charges_falling_due on charges (organization_id, due_date) where status = 'pending';
    create table charge_payment_slips (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      charge_id integer not null references charges (id) on delete cascade,
      status text not null,
      amount real,
      barcode text,
      due_date text,
      status_reason text,
      last_synced_at text,
      created_at text not null,
      updated_at text not null
    );
    create index charge_payment_slips_by_charge on charge_payment_slips (charge_id);
    create index charge_payment_slips_by_status on charge_payment_slips (organization_id, status, due_date);
  `,
};
