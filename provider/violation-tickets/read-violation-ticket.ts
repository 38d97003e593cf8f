/** Reads payment slips of traffic violations. */
import type { Kysely, Selectable } from 'kysely';
import type { ProviderTables } from '../database/provider-tables.ts';
import { notFound } from '../http/http-error.ts';
import { inOrganization } from '../list/in-organization.ts';
import { readAccessibleViolation } from '../traffic-violations/read-traffic-violation.ts';
import type { ViolationTicketTables } from './violation-ticket-tables.ts';

/** A payment slip, joined with its violation. */
export type TicketRow = Selectable<ViolationTicketTables['traffic_violation_tickets']> & {
  readonly violation_ait: string | null;
  readonly violation_code: string | null;
  readonly violation_description: string | null;
};

function selectTickets(query: Kysely<ProviderTables>, organization: number) {
  return query
    .selectFrom('traffic_violation_tickets')
    .innerJoin(
      'traffic_violations',
      'traffic_violations.id',
      'traffic_violation_tickets.traffic_violation_id',
    )
    .where(inOrganization('traffic_violation_tickets.organization_id', organization))
    .selectAll('traffic_violation_tickets')
    .select([
      'traffic_violations.ait as violation_ait',
      'traffic_violations.code as violation_code',
      'traffic_violations.description as violation_description',
    ])
    .orderBy('traffic_violation_tickets.id');
}

/** Finds one payment slip. */
export function findViolationTicket(
  query: Kysely<ProviderTables>,
  organization: number,
  id: number,
): Promise<TicketRow | undefined> {
  return selectTickets(query, organization).where('traffic_violation_tickets.id', '=', id).executeTakeFirst();
}

/** Reads one payment slip. @throws HttpError 404 */
export async function readViolationTicket(
  query: Kysely<ProviderTables>,
  organization: number,
  id: number,
): Promise<TicketRow> {
  const row = await findViolationTicket(query, organization, id);
  if (row === undefined) throw notFound('Ticket', id);
  return row;
}

/** Reads the payment slips with these ids, ordered by id. */
export async function readViolationTickets(
  query: Kysely<ProviderTables>,
  organization: number,
  ids: readonly number[],
) {
  const rows = await selectTickets(query, organization)
    .where('traffic_violation_tickets.id', 'in', ids)
    .execute();
  return rows.map(violationTicketRecord);
}

/** Reads the payment slips of one violation, oldest first. */
export async function readTicketsOfViolation(
  query: Kysely<ProviderTables>,
  organization: number,
  violationId: number,
) {
  const rows = await selectTickets(query, organization)
    .where('traffic_violation_tickets.traffic_violation_id', '=', violationId)
    .execute();
  return rows.map(violationTicketRecord);
}

/** Converts a row to the record that responses and webhooks carry (specification, Resources). */
export function violationTicketRecord(row: TicketRow) {
  return {
    id: row.id,
    status: row.status,
    discount: row.discount,
    amount: row.amount,
    barcode: row.barcode,
    due_date: row.due_date,
    payment_method: row.payment_method,
    pix: row.pix,
    created_at: row.created_at,
    updated_at: row.updated_at,
    traffic_violation: {
      id: row.traffic_violation_id,
      ait: row.violation_ait,
      code: row.violation_code,
      description: row.violation_description,
    },
  };
}

/** Reads a payment slip for its endpoints. @throws HttpError 404; 403 while the link of the violation's user is inactive. */
export async function readAccessibleTicket(
  query: Kysely<ProviderTables>,
  organization: number,
  id: number,
): Promise<TicketRow> {
  const ticket = await readViolationTicket(query, organization, id);
  await readAccessibleViolation(query, organization, ticket.traffic_violation_id);
  return ticket;
}
