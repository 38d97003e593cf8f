/** The table of payment slips of traffic violations, and its migration. */
import type { Generated } from 'kysely';
import type { z } from 'zod';
import type { paymentMethod } from '../../src/contract/record/payment-slip.ts';
import type { Migration } from '../database/migration.ts';
import type { SlipStatus } from '../payment-slips/slip-rules.ts';

export type PaymentMethod = z.infer<typeof paymentMethod>;
export type Discount = 'full' | 'partial' | 'none';

/** The table of payment slips of traffic violations. */
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

/** Creates {@link ViolationTicketTables}. */
export const addViolationTickets: Migration = {
  name: 'payment slips of traffic violations',
  sql: `
    create table traffic_violation_tickets (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      traffic_violation_id integer not null references traffic_violations (id) on delete cascade,
      status text not null,
      discount text not null,
      amount real,
      barcode text,
      due_date text not null,
      payment_method text,
      pix text,
      created_at text not null,
      updated_at text not null
    );
    create index traffic_violation_tickets_by_violation on traffic_violation_tickets (traffic_violation_id);
    -- Covering indexes: a list finds its ids in one index, whatever its filters.
    create index traffic_violation_tickets_by_status on traffic_violation_tickets
      (organization_id, status, discount, payment_method, due_date, traffic_violation_id);
    create index traffic_violation_tickets_by_due_date on traffic_violation_tickets
      (organization_id, due_date, status, discount, payment_method, traffic_violation_id);
  `,
};
