import type { Generated } from 'kysely';
import type { z } from 'zod';
import type { paymentMethod } from '../../src/contract/record/payment-slip.ts';
import type { SlipStatus } from '../payment-slips/slip-status.ts';

export type PaymentMethod = z.infer<typeof paymentMethod>;
export type Discount = 'full' | 'partial' | 'none';

export interface ViolationTicketTables {
  traffic_violation_tickets: {
    id: Generated<number>;
    organization_id: number;
    traffic_violation_id: number;
    status: SlipStatus;
    discount: Discount;
    amount: number | null;
    barcode: string | null;
    due_date: string;
    payment_method: PaymentMethod | null;
    pix: string | null;
    created_at: string;
    updated_at: string;
  };
}
