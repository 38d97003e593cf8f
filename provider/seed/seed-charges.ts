/** Seeds charges and ANTT violations. */
import { DAY_MS, HOUR_MS } from '../../src/kernel/time/durations.ts';
import { keyedRandom } from '../keyed-random.ts';
import { requestAnttTicket } from '../antt-violations/change-antt-ticket.ts';
import { addAnttViolation } from '../antt-violations/change-antt-violation.ts';
import { requestChargeSlip } from '../charges/change-charge-slip.ts';
import { addCharge } from '../charges/change-charge.ts';
import { playAnttTicket, playChargeSlip } from '../scenario/step-slips.ts';
import { generateAnttViolation } from './generate-antt-violation.ts';
import { generateCharge } from './generate-charge.ts';
import { pick } from './pick.ts';
import type { SeededCompany } from './seed-companies.ts';
import { seedSlip, slipHistory, type SlipFamily } from './seed-slip.ts';
import type { At, Seeding } from './seeding.ts';

type Companies = readonly [SeededCompany, ...SeededCompany[]];

/** One of this many records that allow a payment slip has one. */
const SLIP_ONE_IN = 6;
/** Maximum age of a record in days. */
const MAX_AGE_DAYS = 20;

/** Seeds the ANTT violation with this number (from 0), some with a payment slip. */
export async function seedAnttViolation(
  seeding: Seeding,
  at: At,
  number: number,
  companies: Companies,
): Promise<void> {
  const { seed, now, today } = seeding;
  const random = keyedRandom(seed, `antt violation:${String(number)}`);
  const { id: company, plates } = pick(random, companies);
  const violation = generateAnttViolation(random, number, { today, plate: pick(random, plates), company });
  const since = now - HOUR_MS - random() * MAX_AGE_DAYS * DAY_MS;
  const { id } = await addAnttViolation(at(since), violation);
  seeding.count('ANTT violations');
  if (number % SLIP_ONE_IN !== 0 || violation.company_id === null) return;
  const family = {
    process: 'antt-ticket',
    counted: 'payment slips of ANTT violations',
    request: (change) => requestAnttTicket(change, id),
    move: playAnttTicket,
  } satisfies SlipFamily;
  await seedSlip(seeding, at, slipHistory(number / SLIP_ONE_IN), family, { since, share: random() });
}

/** Seeds the charge with this number (from 0), some with a payment slip. */
export async function seedCharge(
  seeding: Seeding,
  at: At,
  number: number,
  companies: Companies,
): Promise<void> {
  const { seed, now, today } = seeding;
  const random = keyedRandom(seed, `charge:${String(number)}`);
  const { id: company } = pick(random, companies);
  const charge = generateCharge(random, number, { today, company });
  const since = now - HOUR_MS - random() * MAX_AGE_DAYS * DAY_MS;
  const { id } = await addCharge(at(since), charge);
  seeding.count('charges');
  if (number % SLIP_ONE_IN !== 0 || charge.status === 'paid') return;
  const family = {
    process: 'charge-slip',
    counted: 'payment slips of charges',
    request: (change) => requestChargeSlip(change, id),
    move: playChargeSlip,
  } satisfies SlipFamily;
  await seedSlip(seeding, at, slipHistory(number / SLIP_ONE_IN), family, { since, share: random() });
}
