import type { CallOptions, Client } from '../client/client.ts';
import type { Family } from '../contract/family.ts';
import { chargePaymentSlip } from '../contract/record/charge-payment-slip.ts';
import type { StoredEvent } from '../event/stored-event.ts';

/** Reads the record that an event is about as the provider has it now; undefined when it is not there. */
export type ReadRecord = (
  client: Client,
  event: Pick<StoredEvent, 'subject' | 'data'>,
  options: CallOptions,
) => Promise<unknown>;

/**
 * How the record is found that an event of each family is about; null where
 * there is no way. A login is no record, and an indication does not say of
 * which violation it is.
 *
 * Traffic violations and charges have no version. Any other family may lack
 * what its version is made of, and be ambiguous then, too.
 */
export const recordReaders: Readonly<Record<Family, ReadRecord | null>> = {
  company: (client, event, options) => client.companies.read(numberOf(event), options),
  'company-login': null,
  'user-login': null,
  'console-user': (client, { subject }, options) => client.consoleUsers.read(subject.id, options),
  'antt-violation': (client, event, options) => client.anttViolations.read(numberOf(event), options),
  'antt-violation-ticket': (client, event, options) =>
    client.anttViolations.readTicket(numberOf(event), options),
  'traffic-violation': (client, event, options) => client.trafficViolations.read(numberOf(event), options),
  'traffic-violation-ticket': (client, event, options) =>
    client.violationTickets.read(numberOf(event), options),
  'traffic-violation-indication': null,
  charge: (client, event, options) => client.charges.read(numberOf(event), options),
  'charge-payment-slip': readSlipOfCharge,
};

/** No endpoint reads a slip of a charge by its own id; the list of those of its charge has it. */
async function readSlipOfCharge(...[client, event, options]: Parameters<ReadRecord>): Promise<unknown> {
  const { data } = chargePaymentSlip.safeParse(event.data);
  if (typeof data?.charge?.id !== 'number') return undefined;
  const slips = await client.charges.listSlipsOfCharge(data.charge.id, options);
  return slips.find(({ id }) => id === data.id);
}

function numberOf({ subject }: Parameters<ReadRecord>[1]): number {
  return Number(subject.id);
}
