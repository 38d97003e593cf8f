/** The tables of ANTT violations, and their migration. */
import type { Generated } from 'kysely';
import type { anttViolationStatuses, anttViolationTypes } from '../../src/contract/record/antt-violation.ts';
import type { Migration } from '../database/migration.ts';
import type { SlipStatus } from '../payment-slips/slip-rules.ts';

/** The tables of ANTT violations and their payment slips. */
export interface AnttViolationTables {
  antt_violations: {
    id: Generated<number>;
    organization_id: number;
    /** Null until the agency names the company. */
    company_id: number | null;
    external_uid: string | null;
    code: string | null;
    key: string | null;
    description: string | null;
    location: string | null;
    license_plate: string | null;
    date: string | null;
    due_date: string | null;
    penalty_notice_date: string | null;
    synced_at: string;
    type: (typeof anttViolationTypes)[number];
    status: (typeof anttViolationStatuses)[number];
    amount: number | null;
  };
  antt_violation_tickets: {
    id: Generated<number>;
    organization_id: number;
    antt_violation_id: number;
    status: SlipStatus;
    amount: number | null;
    barcode: string | null;
    payment_method: 'bank_slip' | 'pix' | null;
    pix: string | null;
    due_date: string | null;
    status_reason: string | null;
    synced_at: string | null;
    created_at: string;
    updated_at: string;
  };
}

/** Creates {@link AnttViolationTables}. */
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
    -- For lists without filters, ordered by id.
    create index antt_violations_by_organization on antt_violations (organization_id);
    -- Covering indexes: a list finds its ids in one index, whatever its other filters.
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
