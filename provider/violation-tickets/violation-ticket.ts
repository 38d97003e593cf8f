/** Payment slips of traffic violations: their table, their record and their list. */
import { sql, type SqlBool } from 'kysely';
import {
  hidden,
  id,
  organization,
  realOrNull,
  reference,
  shown,
  table,
  text,
  textOrNull,
} from '../database/table.ts';
import { notFound } from '../http/http-error.ts';
import { records, type Connection, type RowOf } from '../list/records.ts';
import type { PaymentMethod, SlipStatus } from '../payment-slips/slip-rules.ts';
import { trafficViolationTable } from '../traffic-violations/traffic-violation-tables.ts';
import { readAccessibleViolation } from '../traffic-violations/traffic-violation.ts';
import { userTable } from '../users/user.ts';

export type Discount = 'full' | 'partial' | 'none';

export const violationTicketTable = table(
  'traffic_violation_tickets',
  {
    id,
    organization_id: organization,
    traffic_violation_id: hidden(reference('traffic_violations', 'on delete cascade')),
    status: text<SlipStatus>(),
    discount: text<Discount>(),
    amount: realOrNull(),
    barcode: textOrNull(),
    due_date: text(),
    payment_method: textOrNull<PaymentMethod>(),
    pix: textOrNull(),
    created_at: text(),
    updated_at: text(),
  },
  {
    also: `
    create index traffic_violation_tickets_by_violation on traffic_violation_tickets (traffic_violation_id);
    -- Covering indexes: a list finds its ids in one index, whatever its filters.
    create index traffic_violation_tickets_by_status on traffic_violation_tickets
      (organization_id, status, discount, payment_method, due_date, traffic_violation_id);
    create index traffic_violation_tickets_by_due_date on traffic_violation_tickets
      (organization_id, due_date, status, discount, payment_method, traffic_violation_id);`,
  },
);

export const violationTickets = records({
  tables: [violationTicketTable, trafficViolationTable, userTable],
  missing: (id) => notFound('Ticket', id),
  select: (query) =>
    query
      .selectFrom('traffic_violation_tickets')
      .innerJoin(
        'traffic_violations',
        'traffic_violations.id',
        'traffic_violation_tickets.traffic_violation_id',
      )
      .selectAll('traffic_violation_tickets')
      .select([
        'traffic_violations.ait as violation_ait',
        'traffic_violations.code as violation_code',
        'traffic_violations.description as violation_description',
      ]),
  json: (row) => ({
    ...shown(violationTicketTable, row),
    traffic_violation: {
      id: row.traffic_violation_id,
      ait: row.violation_ait,
      code: row.violation_code,
      description: row.violation_description,
    },
  }),
  filters: {
    status: 'traffic_violation_tickets.status',
    discount: 'traffic_violation_tickets.discount',
    payment_method: 'traffic_violation_tickets.payment_method',
    due_date: 'traffic_violation_tickets.due_date',
  },
  list: (query, { organization }) => {
    // Those of users whose link is inactive. A subquery that runs once: few links are.
    const hidden = query
      .selectFrom('users')
      .innerJoin('traffic_violations', 'traffic_violations.user_id', 'users.id')
      .select('traffic_violations.id')
      .where('users.organization_id', '=', organization)
      .where('users.status', '=', 'inactive');
    return query
      .selectFrom('traffic_violation_tickets')
      .where(sql<SqlBool>`traffic_violation_id not in ${hidden}`);
  },
});

export type TicketRow = RowOf<typeof violationTickets>;

/** Reads a payment slip for its endpoints. @throws HttpError 404; 403 while the link of the violation's user is inactive. */
export async function readAccessibleTicket(
  query: Connection,
  organization: number,
  id: number,
): Promise<TicketRow> {
  const ticket = await violationTickets.row(query, organization, id);
  await readAccessibleViolation(query, organization, ticket.traffic_violation_id);
  return ticket;
}
