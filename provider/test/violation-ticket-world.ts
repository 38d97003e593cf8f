import { issueViolationTicket, moveViolationTicket } from '../violation-tickets/change-violation-ticket.ts';
import { openWithViolation } from './violations.ts';

type Values = Parameters<typeof openWithViolation>[0];

/** A violation, and what an agency does with requests for its slips. */
export async function openForTickets(values?: Values) {
  const world = await openWithViolation(values);
  const { ours, provider, path, told } = world;
  return {
    ...world,
    tickets: `${path}/tickets`,
    move: (id: number, status: 'requested' | 'rejected' | 'failed') =>
      provider.change(ours.organization, (change) => moveViolationTicket(change, id, status)),
    issue: (id: number, method: 'bank_slip' | 'pix' = 'bank_slip') =>
      provider.change(ours.organization, (change) => issueViolationTicket(change, id, method)),
    ticketEvents: async () => (await told()).filter(({ type }) => type.includes('.ticket.')),
  };
}
