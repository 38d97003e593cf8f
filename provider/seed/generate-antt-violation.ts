/** Generates ANTT violations. */
import { anttViolationStatuses } from '../../src/contract/record/antt-violation.ts';
import type { Random } from '../../src/kernel/random.ts';
import type { NewAnttViolation } from '../antt-violations/change-antt-violation.ts';
import { addDays } from '../brazilian-day.ts';
import { places } from './brazilian-places.ts';
import { between, characters, cycle, DIGITS, pick } from './pick.ts';

type Status = NewAnttViolation['status'];

interface AnttRule {
  readonly type: NewAnttViolation['type'];
  readonly description: string;
  /** In reais, from the agency's resolutions. */
  readonly amount: number;
}

const rules: readonly [AnttRule, ...AnttRule[]] = [
  { type: 'excess_weight', description: 'Transitar com excesso de peso', amount: 130.16 },
  {
    type: 'electronic_freight_payment',
    description: 'Pagamento de frete por meio não habilitado',
    amount: 550,
  },
  { type: 'minimum_freight_rate', description: 'Contratar frete abaixo do piso mínimo', amount: 4_975 },
  { type: 'rntrc', description: 'Transporte remunerado sem inscrição no RNTRC', amount: 1_500 },
  { type: 'sac_trip', description: 'Serviço de atendimento ao consumidor em desacordo', amount: 2_200 },
  { type: 'hazardous_goods_transport', description: 'Produto perigoso sem sinalização', amount: 1_000 },
  {
    type: 'interstate_passenger_transport',
    description: 'Transporte interestadual sem autorização',
    amount: 7_400,
  },
  { type: 'toll_voucher', description: 'Não antecipar o vale-pedágio obrigatório', amount: 3_000 },
];

/** Statuses before the penalty: a violation has no penalty notice and no due date. */
const beforePenalty: readonly Status[] = [
  'citation',
  'citation_issued',
  'citation_received',
  'pending_citation_issuance',
  'defense_appeal',
  'frozen_timely_defense',
];

/** Statuses after the due date. */
const afterDueDate: readonly Status[] = [
  'overdue',
  'frozen_active_debt',
  'active_debt',
  'credit_bureau',
  'paid',
];

/** One of this many violations has no company: the agency has not named it. */
const UNNAMED_ONE_IN = 25;

/** Generates the ANTT violation with this number (from 0). Its dates match its status. */
export function generateAnttViolation(
  random: Random,
  number: number,
  { today, plate, company }: { readonly today: string; readonly plate: string; readonly company: number },
): NewAnttViolation {
  const status = cycle(anttViolationStatuses, number);
  const { type, description, amount } = pick(random, rules);
  const { city, state, roads } = pick(random, places);
  const isEarly = beforePenalty.includes(status);
  const due = addDays(
    today,
    afterDueDate.includes(status) ? -between(random, 5, 200) : between(random, 5, 30),
  );
  const penalty = addDays(due, -between(random, 31, 40));
  const day = isEarly ? addDays(today, -between(random, 5, 60)) : addDays(penalty, -between(random, 40, 120));
  return {
    company_id: number % UNNAMED_ONE_IN === UNNAMED_ONE_IN - 1 ? null : company,
    external_uid: `ANTT${characters(random, DIGITS, 10)}`,
    code: characters(random, DIGITS, 7),
    key: `50505.${characters(random, DIGITS, 6)}/${day.slice(0, 4)}-${characters(random, DIGITS, 2)}`,
    description,
    location: `${pick(random, roads)}, ${city}/${state}`,
    license_plate: plate,
    date: day,
    due_date: isEarly ? null : due,
    penalty_notice_date: isEarly ? null : penalty,
    type,
    status,
    amount,
  };
}
