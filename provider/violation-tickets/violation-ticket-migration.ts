import type { Migration } from '../database/migration.ts';

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
    -- Each has all that lists ask for, so that they find their ids in it alone.
    create index traffic_violation_tickets_by_status on traffic_violation_tickets
      (organization_id, status, discount, payment_method, due_date, traffic_violation_id);
    create index traffic_violation_tickets_by_due_date on traffic_violation_tickets
      (organization_id, due_date, status, discount, payment_method, traffic_violation_id);
  `,
};
