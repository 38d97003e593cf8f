import type { Kysely } from 'kysely';
import type { ProviderTables } from '../database/provider-tables.ts';
import { readAccessibleViolation } from '../traffic-violations/accessible-violation.ts';
import { readViolationTicket, type TicketRow } from './read-violation-ticket.ts';

/** @throws Refusal 404; 403 while the link of the violation's user is inactive. */
export async function readAccessibleTicket(
  query: Kysely<ProviderTables>,
  organization: number,
  id: number,
): Promise<TicketRow> {
  const ticket = await readViolationTicket(query, organization, id);
  await readAccessibleViolation(query, organization, ticket.traffic_violation_id);
  return ticket;
}
