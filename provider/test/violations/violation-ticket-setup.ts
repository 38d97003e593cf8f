import {
  issueViolationTicket,
  moveViolationTicket,
} from '../../violation-tickets/change-violation-ticket.ts';
import { openWithViolation } from '../kit/violation-setup.ts';

type Values = Parameters<typeof openWithViolation>[0];

/** Opens a provider with a violation and functions that move and issue its payment slips. */
export async function openWithTickets(values?: Values) {
  const setup = await openWithViolation(values);
  const { ours, provider, path, recorded } = setup;
  return {
    ...setup,
    tickets: `${path}/tickets`,
    move: (id: number, status: 'requested' | 'rejected' | 'failed') =>
      provider.change(ours.organization, (change) => moveViolationTicket(change, id, status)),
    issue: (id: number, method: 'bank_slip' | 'pix' = 'bank_slip') =>
      provider.change(ours.organization, (change) => issueViolationTicket(change, id, method)),
    ticketEvents: async () => (await recorded()).filter(({ type }) => type.includes('.ticket.')),
  };
}
