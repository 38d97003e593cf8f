import type { Change } from '../change.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { readViolationTicket, violationTicketRecord } from './read-violation-ticket.ts';

/** @param userId of the violation. */
export async function tellTicket(
  change: Change,
  event: 'traffic-violation.ticket.created' | 'traffic-violation.ticket.updated',
  id: number,
  userId: number | null,
) {
  const ticket = violationTicketRecord(
    await readViolationTicket(change.transaction, change.organization, id),
  );
  await recordChange(change, event, ticket, userId);
  return ticket;
}
