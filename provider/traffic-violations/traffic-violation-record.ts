import type { Selectable } from 'kysely';
import { companyReference, type Audience } from '../companies/company-reference.ts';
import type { LinkStatus } from '../users/user-tables.ts';
import { whyNoIndication } from './indication-window.ts';
import { discountReasons } from './ticket-discounts.ts';
import type { TrafficViolationTables } from './traffic-violation-tables.ts';

/** A violation with what it belongs to. */
export type ViolationRow = Selectable<TrafficViolationTables['traffic_violations']> & {
  readonly company_external_uid: string | null;
  readonly company_name: string | null;
  readonly company_tax_id: string | null;
  readonly user_external_uid: string | null;
  readonly user_status: LinkStatus | null;
  readonly agency_name: string | null;
  readonly agency_sne_indications: 0 | 1 | null;
  readonly agency_sne_tickets: 0 | 1 | null;
};

/**
 * A violation as answers and webhooks show it (specification, Resources).
 *
 * @param today in Brazil: what is open today depends on it.
 */
export function trafficViolationRecord(row: ViolationRow, today: string, audience: Audience) {
  return {
    id: row.id,
    ait: row.ait,
    code: row.code,
    breakdown: row.breakdown,
    license_plate: row.license_plate,
    description: row.description,
    status: row.status,
    payable: row.payable === 1,
    written_warning: row.written_warning === 1,
    renainf: row.renainf === 1,
    offender_type: row.offender_type,
    amount: row.amount,
    interest_amount: row.interest_amount,
    correction_amount: row.correction_amount,
    updated_amount: row.updated_amount,
    amount_updated_at: row.amount_updated_at,
    date: row.date,
    violation_notice_date: row.violation_notice_date,
    penalty_notice_date: row.penalty_notice_date,
    payment_date: row.payment_date,
    due_date: row.due_date,
    indication_deadline: row.indication_deadline,
    preliminary_appeal_deadline: row.preliminary_appeal_deadline,
    notice_appeal_deadline: row.notice_appeal_deadline,
    indication_availability: whyNoIndication(row, today) === null,
    location: row.location,
    city: row.city,
    state: row.state,
    latitude: row.latitude,
    longitude: row.longitude,
    reference: {
      legal_basis: row.legal_basis,
      severity: row.severity,
      multiplier: row.multiplier,
      points: row.points,
    },
    user: row.user_id === null ? null : { id: row.user_id, external_uid: row.user_external_uid },
    company: companyOf(row, audience),
    agency: agencyOf(row),
    ticket_discount_availability: discountsOf(row, today),
  };
}

function companyOf(row: ViolationRow, audience: Audience) {
  const { company_id, company_name, company_tax_id, company_external_uid } = row;
  if (company_id === null || company_name === null || company_tax_id === null) return null;
  return companyReference({ company_id, company_name, company_tax_id, company_external_uid }, audience);
}

function agencyOf(row: ViolationRow) {
  if (row.agency_code === null) return null;
  return {
    code: row.agency_code,
    name: row.agency_name,
    sne_indications: row.agency_sne_indications === 1,
    sne_tickets: row.agency_sne_tickets === 1,
  };
}

function discountsOf(row: ViolationRow, today: string) {
  const { full, partial } = discountReasons(row, today);
  return {
    full: full === null,
    partial: partial === null,
    full_unavailable_reason: full,
    partial_unavailable_reason: partial,
  };
}
