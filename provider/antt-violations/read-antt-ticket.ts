/** Reads payment slips of ANTT violations. */
import type { Kysely, Selectable } from 'kysely';
import type { ProviderTables } from '../database/provider-tables.ts';
import { notFound } from '../http/http-error.ts';
import { inOrganization } from '../list/in-organization.ts';
import type { AnttViolationTables } from './antt-violation-tables.ts';

/** A payment slip, joined with its violation. */
type Row = Selectable<AnttViolationTables['antt_violation_tickets']> & {
  readonly violation_external_uid: string | null;
  readonly violation_code: string | null;
  readonly violation_description: string | null;
  readonly violation_due_date: string | null;
};

function selectRecords(query: Kysely<ProviderTables>, organization: number) {
  return query
    .selectFrom('antt_violation_tickets')
    .innerJoin('antt_violations', 'antt_violations.id', 'antt_violation_tickets.antt_violation_id')
    .where(inOrganization('antt_violation_tickets.organization_id', organization))
    .selectAll('antt_violation_tickets')
    .select([
      'antt_violations.external_uid as violation_external_uid',
      'antt_violations.code as violation_code',
      'antt_violations.description as violation_description',
      'antt_violations.due_date as violation_due_date',
    ])
    .orderBy('antt_violation_tickets.id');
}

/** Reads one payment slip. @throws HttpError 404 */
export async function readAnttTicket(query: Kysely<ProviderTables>, organization: number, id: number) {
  const row = await selectRecords(query, organization)
    .where('antt_violation_tickets.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw notFound('Ticket', id);
  return ticketRecord(row);
}

/** Reads the payment slips with these ids, ordered by id. */
export async function readAnttTickets(
  query: Kysely<ProviderTables>,
  organization: number,
  ids: readonly number[],
) {
  const rows = await selectRecords(query, organization)
    .where('antt_violation_tickets.id', 'in', ids)
    .execute();
  return rows.map(ticketRecord);
}

/** Reads the payment slips of one violation, oldest first. */
export async function readTicketsOfAnttViolation(
  query: Kysely<ProviderTables>,
  organization: number,
  violationId: number,
) {
  const rows = await selectRecords(query, organization)
    .where('antt_violation_tickets.antt_violation_id', '=', violationId)
    .execute();
  return rows.map(ticketRecord);
}

function ticketRecord(row: Row) {
  return {
    id: row.id,
    status: row.status,
    amount: row.amount,
    barcode: row.barcode,
    payment_method: row.payment_method,
    pix: row.pix,
    due_date: row.due_date,
    status_reason: row.status_reason,
    synced_at: row.synced_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    antt_violation: {
      id: row.antt_violation_id,
      external_uid: row.violation_external_uid,
      code: row.violation_code,
      description: row.violation_description,
      due_date: row.violation_due_date,
    },
  };
}
