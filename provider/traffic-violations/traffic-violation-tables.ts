import type { Generated } from 'kysely';

export type ViolationStatus =
  'citation' | 'warning' | 'pending' | 'paid' | 'overdue' | 'canceled' | 'suspended';

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
    /** Of one of the organization's agencies. */
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
    /** When it happened: an instant, unlike the other dates. */
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
