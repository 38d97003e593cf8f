import { keyedShare } from './keyed-share.mjs';
import { planPayment } from './plan-payment.mjs';
import { cpfOf } from './tax-ids.mjs';

const HOUR = 60;
/** Hours after the day's begin at which somebody looks for new violations and charges. */
const ROUNDS = [1, 4, 7, 10];
/** Minutes that the work of a round is spread over. */
const ROUND_MINUTES = 2.5 * HOUR;

/** How often something is done about a record, of those where it can be. */
const SLIP_SHARE = 0.55;
const INDICATION_SHARE = 0.4;
const FORM_SHARE = 0.4;
const CANCEL_SHARE = 0.2;
/** Minutes: not everybody has answered by then. */
const CANCEL_AFTER = 10;

/**
 * Plans what the office does about violations and charges: payment slips with
 * and without discount, and drivers who are indicated in either flow.
 *
 * @param {import('./office.mjs').OfficeParts} parts
 */
export function planBackOffice(parts) {
  /** Of which it has thought already. @type {Set<string>} */
  const seen = new Set();
  /** @param {string} key */
  const isNew = (key) => !seen.has(key) && seen.add(key).size > 0;
  for (const hour of ROUNDS)
    parts.errands.plan(hour * HOUR, 'looks through violations and charges', async () => {
      await planViolations(parts, hour * HOUR, isNew);
      await planAnttViolations(parts, hour * HOUR, isNew);
      await planCharges(parts, hour * HOUR, isNew);
    });
  planAppeals(parts);
}

/**
 * @param {import('./office.mjs').OfficeParts} parts
 * @param {number} from minutes after the day's begin
 * @param {(key: string) => boolean} isNew
 */
async function planViolations(parts, from, isNew) {
  const { client, errands, options } = parts;
  const { seed } = options;
  for await (const { id, payable, indication_availability: canIndicate } of client.trafficViolations.all()) {
    const key = `traffic violation ${id}`;
    if (!isNew(key)) continue;
    const at = from + keyedShare(seed, `${key}: when`) * ROUND_MINUTES;
    const chance = keyedShare(seed, key);
    if (payable && chance < SLIP_SHARE) {
      const discount = /** @type {const} */ ([undefined, 'full', 'partial'])[id % 3];
      errands.plan(at, 'requests payment slips', async () => {
        await client.violationTickets.request(id, discount === undefined ? {} : { discount });
        planPayment(parts, `/traffic-violations/${id}`, at);
      });
    }
    if (canIndicate && keyedShare(seed, `${key}: driver`) < INDICATION_SHARE)
      errands.plan(at, 'indicates drivers', () => indicate(parts, { id, at, key }));
  }
}

/**
 * @param {import('./office.mjs').OfficeParts} parts
 * @param {{ readonly id: number, readonly at: number, readonly key: string }} violation
 */
async function indicate(parts, { id, at, key }) {
  const { client, errands, options } = parts;
  const { seed } = options;
  const driver = {
    tax_id: cpfOf(seed, key),
    email: `condutor${id}@frota.example`,
    name: `Condutor ${id}`,
  };
  const papers = {
    license: '01234567890',
    id_number: '123456789',
    id_issuer: 'SSP-SP',
    transfer: id % 2 === 0,
    requester_email: 'frota@frota.example',
    vars: { contrato: id },
  };
  const isForm = keyedShare(seed, `${key}: flow`) < FORM_SHARE;
  const indication = await client.indications.create(
    id,
    isForm ? { ...driver, ...papers, flow: 'form' } : { ...driver, flow: 'automated' },
  );
  if (keyedShare(seed, `${key}: cancel`) < CANCEL_SHARE)
    errands.plan(at + CANCEL_AFTER, 'cancels indications', () =>
      client.indications.cancel(id, indication.id),
    );
}

/**
 * @param {import('./office.mjs').OfficeParts} parts
 * @param {number} from
 * @param {(key: string) => boolean} isNew
 */
async function planAnttViolations(parts, from, isNew) {
  const { client, errands, options } = parts;
  const { seed } = options;
  for await (const { id } of client.anttViolations.all()) {
    const key = `ANTT violation ${id}`;
    if (!isNew(key) || keyedShare(seed, key) >= SLIP_SHARE) continue;
    const at = from + keyedShare(seed, `${key}: when`) * ROUND_MINUTES;
    errands.plan(at, 'requests payment slips', async () => {
      await client.anttViolations.requestTicket(id);
      planPayment(parts, `/antt/violations/${id}`, at);
    });
  }
}

/**
 * @param {import('./office.mjs').OfficeParts} parts
 * @param {number} from
 * @param {(key: string) => boolean} isNew
 */
async function planCharges(parts, from, isNew) {
  const { client, errands, options } = parts;
  const { seed } = options;
  for await (const { id } of client.charges.all({ filters: { status: { $ne: 'paid' } } })) {
    const key = `charge ${id}`;
    if (!isNew(key) || keyedShare(seed, key) >= SLIP_SHARE) continue;
    const at = from + keyedShare(seed, `${key}: when`) * ROUND_MINUTES;
    errands.plan(at, 'requests payment slips', async () => {
      await client.charges.requestSlip(id);
      planPayment(parts, `/charges/${id}`, at);
    });
  }
}

/** @param {import('./office.mjs').OfficeParts} parts */
function planAppeals({ client, errands }) {
  errands.plan(6 * HOUR, 'looks for what to appeal against', async () => {
    const [driver] = (await client.driverLicenses.list({ size: 1 })).data;
    const { data } = await client.trafficViolations.list({
      filters: { status: { $eq: 'overdue' } },
      size: 5,
    });
    for (const { id } of driver === undefined ? [] : data)
      errands.plan(6.5 * HOUR, 'appeals', () =>
        client.appeals.create({
          user_id: driver?.id ?? 0,
          reference_object_id: id,
          reference_object_type: 'traffic_ticket',
        }),
      );
  });
}
