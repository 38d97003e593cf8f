import type { Migration } from '../database/migration.ts';

export const addAnttViolations: Migration = {
  name: 'ANTT violations and their payment slips',
  sql: `
    create table antt_violations (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      company_id integer references companies (id),
      external_uid text,
      code text,
      key text,
      description text,
      location text,
      license_plate text,
      date text,
      due_date text,
      penalty_notice_date text,
      synced_at text not null,
      type text not null,
      status text not null,
      amount real
    );
    -- In the order of ids, for lists without filters.
    create index antt_violations_by_organization on antt_violations (organization_id);
    -- Lists find their ids in an index alone, whichever filters they have beside its first.
    create index antt_violations_by_company
      on antt_violations (organization_id, company_id, status, type, due_date, date, penalty_notice_date, license_plate);
    create index antt_violations_by_status
      on antt_violations (organization_id, status, type, company_id, due_date, date, penalty_notice_date, license_plate);
    create index antt_violations_by_type
      on antt_violations (organization_id, type, company_id, status, due_date, date, penalty_notice_date, license_plate);
    create index antt_violations_by_license_plate
      on antt_violations (organization_id, license_plate, status, type, company_id, due_date, date, penalty_notice_date);
    create index antt_violations_by_due_date
      on antt_violations (organization_id, due_date, status, type, company_id, date, penalty_notice_date, license_plate);
    create index antt_violations_by_date
      on antt_violations (organization_id, date, status, type, company_id, due_date, penalty_notice_date, license_plate);
    create index antt_violations_by_penalty_notice_date
      on antt_violations (organization_id, penalty_notice_date, status, type, company_id, due_date, date, license_plate);
    create index antt_violations_falling_due on antt_violations (organization_id, due_date) where status = 'pending';
    create table antt_violation_tickets (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      antt_violation_id integer not null references antt_violations (id) on delete cascade,
      status text not null,
      amount real,
      barcode text,
      payment_method text,
      pix text,
      due_date text,
      status_reason text,
      synced_at text,
      created_at text not null,
      updated_at text not null
    );
    create index antt_violation_tickets_by_violation on antt_violation_tickets (antt_violation_id, status);
    create index antt_violation_tickets_by_status on antt_violation_tickets (organization_id, status, due_date);
    create index antt_violation_tickets_by_due_date on antt_violation_tickets (organization_id, due_date, status);
  `,
};
