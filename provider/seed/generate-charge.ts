/** Generates charges. */
import type { Random } from '../../src/kernel/random.ts';
import { addDays } from '../brazilian-day.ts';
import type { NewCharge } from '../charges/change-charge.ts';
import { between, characters, cycle, DIGITS, pick } from './pick.ts';

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
export function generateCharge(
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
