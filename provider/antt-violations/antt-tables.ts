import type { Generated } from 'kysely';
import type { anttViolationStatuses, anttViolationTypes } from '../../src/contract/record/antt-violation.ts';
import type { SlipStatus } from '../payment-slips/slip-status.ts';

export interface AnttTables {
  antt_violations: {
    id: Generated<number>;
    organization_id: number;
    /** Null while the agency has not said whose it is. */
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
