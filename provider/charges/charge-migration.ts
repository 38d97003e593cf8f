import type { Migration } from '../database/migration.ts';

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
    -- In the order of ids, for lists without filters.
    create index charges_by_organization on charges (organization_id);
    -- Lists find their ids in an index alone, whichever filters they have beside its first.
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
