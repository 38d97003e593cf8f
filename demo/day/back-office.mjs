import { keyedRandom } from './keyed-random.mjs';
import { planPayment } from './plan-payment.mjs';
import { cpfOf } from './tax-ids.mjs';

const HOUR = 60;
/** Hours after the start of the day at which the office reads new violations and charges. */
const ROUNDS = [1, 4, 7, 10];
/** The work of a round is spread over these minutes. */
const ROUND_MINUTES = 2.5 * HOUR;

/** Shares of the eligible records. */
const SLIP_SHARE = 0.55;
const INDICATION_SHARE = 0.4;
const FORM_SHARE = 0.4;
const CANCEL_SHARE = 0.2;
/** Minutes, so that some drivers have not answered yet. */
const CANCEL_AFTER = 10;

/**
 * Plans the office's work on violations and charges: payment slips with and without
 * discount, and driver indications in both flows.
 *
 * @param {import('./office.mjs').OfficeDeps} deps
 */
export function planBackOffice(deps) {
  /** Records that were planned already. @type {Set<string>} */
  const seen = new Set();
  /** @param {string} key */
  const isNew = (key) => !seen.has(key) && seen.add(key).size > 0;
  for (const hour of ROUNDS)
    deps.errands.plan(hour * HOUR, 'reads violations and charges', async () => {
      await planViolations(deps, hour * HOUR, isNew);
      await planAnttViolations(deps, hour * HOUR, isNew);
      await planCharges(deps, hour * HOUR, isNew);
    });
  planAppeals(deps);
}

/**
 * @param {import('./office.mjs').OfficeDeps} deps
 * @param {number} from minutes after the start of the day
 * @param {(key: string) => boolean} isNew
 */
async function planViolations(deps, from, isNew) {
  const { client, errands, options } = deps;
  const { seed } = options;
  for await (const { id, payable, indication_availability: canIndicate } of client.trafficViolations.all()) {
    const key = `traffic violation ${id}`;
    if (!isNew(key)) continue;
    const at = from + keyedRandom(seed, `${key}: when`) * ROUND_MINUTES;
    const chance = keyedRandom(seed, key);
    if (payable && chance < SLIP_SHARE) {
      const discount = /** @type {const} */ ([undefined, 'full', 'partial'])[id % 3];
      errands.plan(at, 'requests payment slips', async () => {
        await client.trafficViolations.tickets.request(id, discount === undefined ? {} : { discount });
        planPayment(deps, `/traffic-violations/${id}`, at);
      });
    }
    if (canIndicate && keyedRandom(seed, `${key}: driver`) < INDICATION_SHARE)
      errands.plan(at, 'indicates drivers', () => indicate(deps, { id, at, key }));
  }
}

/**
 * @param {import('./office.mjs').OfficeDeps} deps
 * @param {{ readonly id: number, readonly at: number, readonly key: string }} violation
 */
async function indicate(deps, { id, at, key }) {
  const { client, errands, options } = deps;
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
  const isForm = keyedRandom(seed, `${key}: flow`) < FORM_SHARE;
  const indication = await client.trafficViolations.indications.create(
    id,
    isForm ? { ...driver, ...papers, flow: 'form' } : { ...driver, flow: 'automated' },
  );
  if (keyedRandom(seed, `${key}: cancel`) < CANCEL_SHARE)
    errands.plan(at + CANCEL_AFTER, 'cancels indications', () =>
      client.trafficViolations.indications.cancel(id, indication.id),
    );
}

/**
 * @param {import('./office.mjs').OfficeDeps} deps
 * @param {number} from
 * @param {(key: string) => boolean} isNew
 */
async function planAnttViolations(deps, from, isNew) {
  const { client, errands, options } = deps;
  const { seed } = options;
  for await (const { id } of client.anttViolations.all()) {
    const key = `ANTT violation ${id}`;
    if (!isNew(key) || keyedRandom(seed, key) >= SLIP_SHARE) continue;
    const at = from + keyedRandom(seed, `${key}: when`) * ROUND_MINUTES;
    errands.plan(at, 'requests payment slips', async () => {
      await client.anttViolations.tickets.request(id);
      planPayment(deps, `/antt/violations/${id}`, at);
    });
  }
}

/**
 * @param {import('./office.mjs').OfficeDeps} deps
 * @param {number} from
 * @param {(key: string) => boolean} isNew
 */
async function planCharges(deps, from, isNew) {
  const { client, errands, options } = deps;
  const { seed } = options;
  for await (const { id } of client.charges.all({ filters: { status: { $ne: 'paid' } } })) {
    const key = `charge ${id}`;
    if (!isNew(key) || keyedRandom(seed, key) >= SLIP_SHARE) continue;
    const at = from + keyedRandom(seed, `${key}: when`) * ROUND_MINUTES;
    errands.plan(at, 'requests payment slips', async () => {
      await client.charges.paymentSlips.request(id);
      planPayment(deps, `/charges/${id}`, at);
    });
  }
}

/** @param {import('./office.mjs').OfficeDeps} deps */
function planAppeals({ client, errands }) {
  errands.plan(6 * HOUR, 'reads overdue violations', async () => {
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
