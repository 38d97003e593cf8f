import type { Generated } from 'kysely';
import type { SlipStatus } from '../payment-slips/slip-status.ts';

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
