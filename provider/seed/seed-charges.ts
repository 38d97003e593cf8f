/** Seeds charges and ANTT violations. */
import { DAY_MS, HOUR_MS } from '../../src/kernel/time/durations.ts';
import { keyedRandom } from '../keyed-random.ts';
import { requestAnttTicket, addAnttViolation } from '../antt-violations/change-antt-violation.ts';
import { requestChargeSlip, addCharge, type NewCharge } from '../charges/change-charge.ts';
import { playAnttTicket, playChargeSlip } from '../scenario/step-slips.ts';
import { generateAnttViolation } from './generate-antt-violation.ts';
import { pick, between, characters, cycle, DIGITS } from './pick.ts';
import type { SeededCompany } from './seed-companies.ts';
import { seedSlip, slipHistory, type SlipFamily } from './seed-slip.ts';
import type { At, Seeding } from './seeding.ts';
import type { Random } from '../../src/kernel/random.ts';
import { addDays } from '../brazilian-day.ts';

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

interface ChargeKind {
  readonly agency: string;
  readonly type: NewCharge['type'];
  readonly description: string;
  /** Minimum and maximum amount, in cents. */
  readonly cents: readonly [number, number];
}

const kinds: readonly [ChargeKind, ...ChargeKind[]] = [
  { agency: 'detran', type: 'tax', description: 'Licenciamento anual', cents: [15_000, 18_500] },
  {
    agency: 'detran',
    type: 'fee',
    description: 'Taxa de transferência de propriedade',
    cents: [22_000, 40_000],
  },
  { agency: 'detran', type: 'fee', description: 'Diária de pátio', cents: [4_500, 90_000] },
  { agency: 'sefaz', type: 'tax', description: 'IPVA, cota única', cents: [90_000, 900_000] },
  { agency: 'sefaz', type: 'tax', description: 'IPVA, parcela', cents: [30_000, 300_000] },
  { agency: 'antt', type: 'fee', description: 'Taxa de fiscalização', cents: [18_000, 180_000] },
  { agency: 'antt', type: 'fine', description: 'Multa administrativa', cents: [55_000, 1_050_000] },
  { agency: 'dnit', type: 'fine', description: 'Multa por excesso de peso', cents: [13_016, 450_000] },
];

const statuses = ['pending', 'paid', 'overdue', 'pending', 'paid'] as const;

/** Generates the charge with this number (from 0). Its dates match its status. */
function generateCharge(
  random: Random,
  number: number,
  { today, company }: { readonly today: string; readonly company: number },
): NewCharge {
  const status = cycle(statuses, number);
  const { agency, type, description, cents } = pick(random, kinds);
  const due = addDays(today, status === 'pending' ? between(random, 0, 45) : -between(random, 3, 240));
  const day = addDays(due, -between(random, 30, 60));
  return {
    company_id: company,
    external_uid: `cob-${characters(random, DIGITS, 8)}`,
    code: characters(random, DIGITS, 6),
    key: `${agency.toUpperCase()}-${day.slice(0, 4)}-${characters(random, DIGITS, 9)}`,
    description,
    date: day,
    due_date: due,
    agency,
    type,
    status,
    amount: between(random, ...cents) / 100,
  };
}
