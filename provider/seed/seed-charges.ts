import { keyedRandom } from '../../src/kernel/random/keyed-random.ts';
import { addAnttViolation } from '../antt-violations/change-antt-violation.ts';
import { requestAnttTicket } from '../antt-violations/change-antt-ticket.ts';
import { addCharge } from '../charges/change-charge.ts';
import { requestChargeSlip } from '../charges/change-charge-slip.ts';
import { playAnttTicket, playChargeSlip } from '../scenario/step-slips.ts';
import { generateAnttViolation } from './generate-antt-violation.ts';
import { generateCharge } from './generate-charge.ts';
import { pick } from './pick.ts';
import type { SeededCompany } from './seed-companies.ts';
import { seedSlip, slipHistory } from './seed-slip.ts';
import { DAY, HOUR, type At, type Seeding } from './seeding.ts';

type Companies = readonly [SeededCompany, ...SeededCompany[]];

/** Of so many that can have a payment slip, one has. */
const SLIP_ONE_IN = 6;
/** Days ago that something was read from its agency, at most. */
const READ_WITHIN = 20;

/** Adds the ANTT violation with this number (from 0), some with a payment slip. */
export async function seedAnttViolation(
  seeding: Seeding,
  at: At,
  number: number,
  companies: Companies,
): Promise<void> {
  const { seed, now, today } = seeding;
  const random = keyedRandom(seed, `antt violation:${String(number)}`);
  const { id: company, plates } = pick(random, companies);
  const invented = generateAnttViolation(random, number, { today, plate: pick(random, plates), company });
  const since = now - HOUR - random() * READ_WITHIN * DAY;
  const { id } = await addAnttViolation(at(since), invented);
  seeding.count('ANTT violations');
  if (number % SLIP_ONE_IN !== 0 || invented.company_id === null) return;
  const kind = {
    process: 'antt-ticket' as const,
    async request(from: At, moment: number) {
      const ticket = await requestAnttTicket(from(moment), id);
      seeding.count('payment slips of ANTT violations');
      return ticket.id;
    },
    move: (from: At, moment: number, ticket: number, move: Parameters<typeof playAnttTicket>[2]) =>
      playAnttTicket(from(moment), ticket, move),
  };
  await seedSlip(at, slipHistory(number / SLIP_ONE_IN), kind, { since, now, share: random() });
}

/** Adds the charge with this number (from 0), some with a payment slip. */
export async function seedCharge(
  seeding: Seeding,
  at: At,
  number: number,
  companies: Companies,
): Promise<void> {
  const { seed, now, today } = seeding;
  const random = keyedRandom(seed, `charge:${String(number)}`);
  const { id: company } = pick(random, companies);
  const invented = generateCharge(random, number, { today, company });
  const since = now - HOUR - random() * READ_WITHIN * DAY;
  const { id } = await addCharge(at(since), invented);
  seeding.count('charges');
  if (number % SLIP_ONE_IN !== 0 || invented.status === 'paid') return;
  const kind = {
    process: 'charge-slip' as const,
    async request(from: At, moment: number) {
      const slip = await requestChargeSlip(from(moment), id);
      seeding.count('payment slips of charges');
      return slip.id;
    },
    move: (from: At, moment: number, slip: number, move: Parameters<typeof playChargeSlip>[2]) =>
      playChargeSlip(from(moment), slip, move),
  };
  await seedSlip(at, slipHistory(number / SLIP_ONE_IN), kind, { since, now, share: random() });
}
