/** Reads one record of the provider. */
import type { CallOptions, Client } from '../client/client.ts';
import type { Family } from '../contract/family.ts';
import { chargePaymentSlip } from '../contract/record/charge.ts';
import type { Subject } from '../event/subject.ts';
import type { JsonValue } from '../kernel/json/json.ts';

/** Reads the current record of an event from the provider; undefined when it is not found. */
export type ReadRecord = (
  client: Client,
  event: { readonly subject: Pick<Subject, 'id'>; readonly data: JsonValue },
  options: CallOptions,
) => Promise<unknown>;

/**
 * Reads the record of an event, for each family; null where the API cannot. A
 * login has no record, and an event of an indication does not name its violation.
 *
 * Only events without a version can be ambiguous: those of traffic violations
 * and charges never have one, and those of the other families may lack it.
 */
export const recordReaders: Readonly<Record<Family, ReadRecord | null>> = {
  company: (client, event, options) => client.companies.read(numberOf(event), options),
  'company-login': null,
  'user-login': null,
  'console-user': (client, { subject }, options) => client.consoleUsers.read(subject.id, options),
  'antt-violation': (client, event, options) => client.anttViolations.read(numberOf(event), options),
  'antt-violation-ticket': (client, event, options) =>
    client.anttViolations.tickets.read(numberOf(event), options),
  'traffic-violation': (client, event, options) => client.trafficViolations.read(numberOf(event), options),
  'traffic-violation-ticket': (client, event, options) =>
    client.trafficViolations.tickets.read(numberOf(event), options),
  'traffic-violation-indication': null,
  charge: (client, event, options) => client.charges.read(numberOf(event), options),
  'charge-payment-slip': readSlipOfCharge,
};

/** The API has no endpoint for one slip of a charge, only for all slips of a charge. */
async function readSlipOfCharge(...[client, event, options]: Parameters<ReadRecord>): Promise<unknown> {
  const { data } = chargePaymentSlip.safeParse(event.data);
  if (typeof data?.charge?.id !== 'number') return undefined;
  const slips = await client.charges.paymentSlips.listOf(data.charge.id, options);
  return slips.find(({ id }) => id === data.id);
}

function numberOf({ subject }: Parameters<ReadRecord>[1]): number {
  return Number(subject.id);
}
