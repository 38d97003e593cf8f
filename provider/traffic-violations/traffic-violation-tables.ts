/** The tables of traffic violations and of the agencies that issue them. */
import {
  hidden,
  id,
  integer,
  organization,
  realOrNull,
  referenceOrNull,
  table,
  text,
  textOrNull,
  withDefault,
} from '../database/table.ts';

export type ViolationStatus =
  'citation' | 'warning' | 'pending' | 'paid' | 'overdue' | 'canceled' | 'suspended';

export const agencyTable = table(
  'agencies',
  {
    organization_id: organization,
    code: text(),
    name: textOrNull(),
    /** Whether it accepts driver indications through the SNE. */
    sne_indications: integer<0 | 1>(),
    /** Whether it issues slips through the SNE. */
    sne_tickets: integer<0 | 1>(),
  },
  { constraints: ['primary key (organization_id, code)'], withoutRowid: true },
);

export const trafficViolationTable = table(
  'traffic_violations',
  {
    id,
    organization_id: organization,
    company_id: hidden(referenceOrNull('companies')),
    user_id: hidden(referenceOrNull('users', 'on delete cascade')),
    /** Code of an agency of the same organization. */
    agency_code: hidden(textOrNull()),
    ait: textOrNull(),
    code: textOrNull(),
    breakdown: textOrNull(),
    license_plate: textOrNull(),
    description: textOrNull(),
    status: text<ViolationStatus>(),
    payable: integer<0 | 1>(),
    written_warning: withDefault(integer<0 | 1>(), '0'),
    renainf: withDefault(integer<0 | 1>(), '0'),
    offender_type: textOrNull<'owner' | 'shipper' | 'driver'>(),
    amount: realOrNull(),
    interest_amount: realOrNull(),
    correction_amount: realOrNull(),
    updated_amount: realOrNull(),
    amount_updated_at: textOrNull(),
    /** Time of the violation, ISO 8601 in UTC. The other dates are days. */
    date: textOrNull(),
    violation_notice_date: textOrNull(),
    penalty_notice_date: textOrNull(),
    payment_date: textOrNull(),
    due_date: textOrNull(),
    indication_deadline: textOrNull(),
    preliminary_appeal_deadline: textOrNull(),
    notice_appeal_deadline: textOrNull(),
    location: hidden(textOrNull()),
    city: hidden(textOrNull()),
    state: hidden(textOrNull()),
    latitude: hidden(realOrNull()),
    longitude: hidden(realOrNull()),
    legal_basis: hidden(textOrNull()),
    severity: hidden(textOrNull()),
    multiplier: hidden(textOrNull()),
    points: hidden(textOrNull()),
  },
  {
    constraints: ['foreign key (organization_id, agency_code) references agencies (organization_id, code)'],
    also: `
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
    create index traffic_violations_by_user on traffic_violations (user_id, organization_id);`,
  },
);
