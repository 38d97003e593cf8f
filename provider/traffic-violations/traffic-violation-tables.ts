/** The tables of traffic violations, and their migration. */
import type { Generated } from 'kysely';
import type { Migration } from '../database/migration.ts';

export type ViolationStatus =
  'citation' | 'warning' | 'pending' | 'paid' | 'overdue' | 'canceled' | 'suspended';

/** The tables of traffic violations and the agencies that issue them. */
export interface TrafficViolationTables {
  agencies: {
    organization_id: number;
    code: string;
    name: string | null;
    /** Whether it accepts driver indications through the SNE. */
    sne_indications: 0 | 1;
    /** Whether it issues slips through the SNE. */
    sne_tickets: 0 | 1;
  };
  traffic_violations: {
    id: Generated<number>;
    organization_id: number;
    company_id: number | null;
    user_id: number | null;
    /** Code of an agency of the same organization. */
    agency_code: string | null;
    ait: string | null;
    code: string | null;
    breakdown: string | null;
    license_plate: string | null;
    description: string | null;
    status: ViolationStatus;
    payable: 0 | 1;
    written_warning: Generated<0 | 1>;
    renainf: Generated<0 | 1>;
    offender_type: 'owner' | 'shipper' | 'driver' | null;
    amount: number | null;
    interest_amount: number | null;
    correction_amount: number | null;
    updated_amount: number | null;
    amount_updated_at: string | null;
    /** Time of the violation, ISO 8601 in UTC. The other dates are days. */
    date: string | null;
    violation_notice_date: string | null;
    penalty_notice_date: string | null;
    payment_date: string | null;
    due_date: string | null;
    indication_deadline: string | null;
    preliminary_appeal_deadline: string | null;
    notice_appeal_deadline: string | null;
    location: string | null;
    city: string | null;
    state: string | null;
    latitude: number | null;
    longitude: number | null;
    legal_basis: string | null;
    severity: string | null;
    multiplier: string | null;
    points: string | null;
  };
}

/** Creates {@link TrafficViolationTables}. */
export const addTrafficViolations: Migration = {
  name: 'traffic violations and the agencies that issue them',
  sql: `
    create table agencies (
      organization_id integer not null references organizations (id),
      code text not null,
      name text,
      sne_indications integer not null,
      sne_tickets integer not null,
      primary key (organization_id, code)
    ) without rowid;
    create table traffic_violations (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      company_id integer references companies (id),
      user_id integer references users (id) on delete cascade,
      agency_code text,
      ait text,
      code text,
      breakdown text,
      license_plate text,
      description text,
      status text not null,
      payable integer not null,
      written_warning integer not null default 0,
      renainf integer not null default 0,
      offender_type text,
      amount real,
      interest_amount real,
      correction_amount real,
      updated_amount real,
      amount_updated_at text,
      date text,
      violation_notice_date text,
      penalty_notice_date text,
      payment_date text,
      due_date text,
      indication_deadline text,
      preliminary_appeal_deadline text,
      notice_appeal_deadline text,
      location text,
      city text,
      state text,
      latitude real,
      longitude real,
      legal_basis text,
      severity text,
      multiplier text,
      points text,
      foreign key (organization_id, agency_code) references agencies (organization_id, code)
    );
    create index traffic_violations_by_organization on traffic_violations (organization_id);
    -- Covering indexes for the filters that match many: a list finds its ids in one index.
    create index traffic_violations_by_company on traffic_violations
      (organization_id, company_id, status, agency_code, due_date, date, offender_type, indication_deadline, user_id, license_plate);
    create index traffic_violations_by_status on traffic_violations
      (organization_id, status, agency_code, company_id, due_date, date, offender_type, indication_deadline, user_id, license_plate);
    create index traffic_violations_by_agency on traffic_violations
      (organization_id, agency_code, company_id, status, due_date, date, offender_type, indication_deadline, user_id, license_plate);
    create index traffic_violations_by_due_date on traffic_violations
      (organization_id, due_date, status, agency_code, company_id, date, offender_type, indication_deadline, user_id, license_plate);
    create index traffic_violations_by_date on traffic_violations
      (organization_id, date, status, agency_code, company_id, due_date, offender_type, indication_deadline, user_id, license_plate);
    -- For the daily tasks: partial indexes, so that a task reads only the records that it changes.
    create index traffic_violations_falling_due on traffic_violations (organization_id, due_date)
      where status = 'pending';
    create index traffic_violations_open_for_indications on traffic_violations (organization_id, indication_deadline)
      where status in ('pending', 'citation');
    create index traffic_violations_open_for_discount on traffic_violations (organization_id, preliminary_appeal_deadline)
      where payable = 1;
    -- A vehicle or a user has few violations: these need no further columns.
    create index traffic_violations_by_plate on traffic_violations (organization_id, license_plate);
    create index traffic_violations_by_user on traffic_violations (user_id, organization_id);
  `,
};
