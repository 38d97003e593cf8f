/** Payment slips of ANTT violations: their table, their record and their list. */
import { companyTable } from '../companies/company.ts';
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
import { records } from '../list/records.ts';
import type { PaymentMethod, SlipStatus } from '../payment-slips/slip-rules.ts';
import { anttViolationTable } from './antt-violation.ts';

export const anttTicketTable = table(
  'antt_violation_tickets',
  {
    id,
    organization_id: organization,
    antt_violation_id: hidden(reference('antt_violations', 'on delete cascade')),
    status: text<SlipStatus>(),
    amount: realOrNull(),
    barcode: textOrNull(),
    payment_method: textOrNull<PaymentMethod>(),
    pix: textOrNull(),
    due_date: textOrNull(),
    status_reason: textOrNull(),
    synced_at: textOrNull(),
    created_at: text(),
    updated_at: text(),
  },
  {
    also: `
    create index antt_violation_tickets_by_violation on antt_violation_tickets (antt_violation_id, status);
    create index antt_violation_tickets_by_status on antt_violation_tickets (organization_id, status, due_date);
    create index antt_violation_tickets_by_due_date on antt_violation_tickets (organization_id, due_date, status);`,
  },
);

export const anttTickets = records({
  tables: [anttTicketTable, anttViolationTable, companyTable],
  missing: (id) => notFound('Ticket', id),
  select: (query) =>
    query
      .selectFrom('antt_violation_tickets')
      .innerJoin('antt_violations', 'antt_violations.id', 'antt_violation_tickets.antt_violation_id')
      .selectAll('antt_violation_tickets')
      .select([
        'antt_violations.external_uid as violation_external_uid',
        'antt_violations.code as violation_code',
        'antt_violations.description as violation_description',
        'antt_violations.due_date as violation_due_date',
      ]),
  json: (row) => ({
    ...shown(anttTicketTable, row),
    antt_violation: {
      id: row.antt_violation_id,
      external_uid: row.violation_external_uid,
      code: row.violation_code,
      description: row.violation_description,
      due_date: row.violation_due_date,
    },
  }),
  filters: {
    status: 'antt_violation_tickets.status',
    due_date: 'antt_violation_tickets.due_date',
    'company.external_uid': 'companies.external_uid',
  },
  list: (query, { conditions }) =>
    query.selectFrom('antt_violation_tickets').$if(
      conditions.some(({ field }) => field === 'company.external_uid'),
      (some) =>
        some
          .innerJoin('antt_violations', 'antt_violations.id', 'antt_violation_tickets.antt_violation_id')
          .leftJoin('companies', 'companies.id', 'antt_violations.company_id'),
    ),
});
