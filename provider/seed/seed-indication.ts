/** Seeds driver indications. */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/kernel/time/durations.ts';
import type { NewIndication } from '../../src/contract/api/indication-endpoints.ts';
import { keyedRandom } from '../keyed-random.ts';
import { addDays, startOfDay } from '../brazilian-day.ts';
import type { Change } from '../change.ts';
import {
  cancelIndication,
  createIndication,
  moveIndication,
  observeIndication,
  setIndicationRule,
  type IndicationMove,
} from '../indications/change-indication.ts';
import { pendingSigners, refuseDocument, signDocument, viewDocument } from '../indications/sign-document.ts';
import { scheduleStep, unscheduleSteps } from '../scenario/schedule-step.ts';
import { characters, cycle, DIGITS, LETTERS } from './pick.ts';
import type { SeededUser } from './seed-users.ts';
import type { At, Seeding } from './seeding.ts';

/** A move of an indication. A signer is given by its position in the signing order. */
type Move =
  | { readonly to: IndicationMove; readonly reason?: string }
  | { readonly to: 'viewed' | 'signed'; readonly signer: number }
  | { readonly to: 'refused'; readonly reason: string }
  | { readonly to: 'canceled' };

/** The history of an indication: how it is made, then its moves from `pending`. */
interface IndicationHistory {
  readonly flow: 'automated' | 'form' | 'observed';
  readonly transfer?: true;
  readonly moves: readonly Move[];
}

const viewed = { to: 'viewed', signer: 0 } as const;
const signed = [viewed, { to: 'signed', signer: 0 }] as const;

/** Every status, in both flows where they have it, and indications made outside the provider. */
const histories: readonly [IndicationHistory, ...IndicationHistory[]] = [
  { flow: 'automated', moves: [] },
  { flow: 'form', moves: [...signed] },
  { flow: 'automated', moves: [{ to: 'accepted' }] },
  { flow: 'form', moves: [viewed] },
  { flow: 'automated', moves: [{ to: 'accepted' }, { to: 'filed' }] },
  { flow: 'form', moves: [viewed, { to: 'refused', reason: 'Não era eu quem dirigia' }] },
  { flow: 'automated', moves: [{ to: 'rejected', reason: 'Recusada pelo condutor' }] },
  { flow: 'form', moves: [...signed, { to: 'filed' }, { to: 'accepted' }] },
  { flow: 'automated', moves: [{ to: 'failed', reason: 'Órgão autuador indisponível' }] },
  { flow: 'form', transfer: true, moves: [...signed] },
  { flow: 'automated', moves: [{ to: 'voided', reason: 'Impedida pelo órgão autuador' }] },
  { flow: 'form', moves: [{ to: 'expired', reason: 'Sem assinatura dentro do prazo' }] },
  { flow: 'observed', moves: [{ to: 'accepted' }] },
  { flow: 'automated', moves: [{ to: 'canceled' }] },
  { flow: 'form', transfer: true, moves: [...signed, { to: 'signed', signer: 1 }, { to: 'filed' }] },
  { flow: 'form', moves: [viewed, { to: 'canceled' }] },
  { flow: 'automated', moves: [{ to: 'expired', reason: 'Sem resposta do condutor' }] },
  { flow: 'observed', moves: [] },
];

/** Seeds the organization's labels of some statuses. The others have none. */
export async function seedIndicationRules({ now }: Seeding, at: At): Promise<void> {
  const rules = [
    { status: 'pending', label: 'Aguardando condutor', description: 'O condutor ainda não respondeu.' },
    { status: 'accepted', label: 'Aceita', description: 'O condutor aceitou a indicação.' },
    { status: 'filed', label: 'Protocolada', description: null },
  ] as const;
  for (const rule of rules) await setIndicationRule(at(now), rule);
}

/** A violation that allows an indication. */
export interface IndicatedViolation {
  readonly id: number;
  /** The earliest time of the indication, milliseconds since 1970. */
  readonly since: number;
  /** The last day for indications, `YYYY-MM-DD`. */
  readonly deadline: string;
}

/** Seeds an indication with its history. @param number of the indication, from 0. */
export async function seedIndication(
  seeding: Seeding,
  at: At,
  number: number,
  { id: violation, since, deadline }: IndicatedViolation,
  driver: SeededUser,
): Promise<void> {
  const history = cycle(histories, number);
  const random = keyedRandom(seeding.seed, `indication:${String(seeding.organization)}:${String(violation)}`);
  const last = history.moves.at(-1)?.to;
  // An open indication has just begun: the scenario would have continued an older one.
  const isOpen = last === undefined || last === 'viewed' || last === 'signed';
  const latest = seeding.now - (isOpen ? 2 * MINUTE_MS : 5 * HOUR_MS);
  const earliest = isOpen ? latest : Math.min(since, latest);
  let time = earliest + random() * (latest - earliest);
  const { tax_id, name } = driver.person;
  const token = () => characters(random, LETTERS + DIGITS, 24);
  const signing = { createSecret: token, baseUrl: seeding.baseUrl };

  const { id } =
    history.flow === 'observed'
      ? await observeIndication(at(time), violation, { tax_id, name })
      : await createIndication(at(time), violation, requestOf(history, driver, random), signing);
  seeding.count('driver indications');
  const signers = await pendingSigners(at(time), id);
  for (const next of history.moves) {
    time += isOpen ? 20 * SECOND_MS : 20 * MINUTE_MS;
    await move(at(time), { violation, id, signers }, next);
  }
  if (last === 'refused') {
    const end = startOfDay(addDays(deadline, 1));
    await scheduleStep(at(seeding.now), 'indication', id, { at: end });
  } else if (!isOpen) await unscheduleSteps(at(seeding.now), ['indication'], id);
}

async function move(
  change: Change,
  {
    violation,
    id,
    signers,
  }: { readonly violation: number; readonly id: number; readonly signers: readonly string[] },
  next: Move,
): Promise<void> {
  switch (next.to) {
    case 'viewed':
      return viewDocument(change, id, signers[next.signer] ?? '');
    case 'signed':
      return signDocument(change, id, signers[next.signer] ?? '');
    case 'refused':
      return refuseDocument(change, id, signers[0] ?? '', next.reason);
    case 'canceled':
      return cancelIndication(change, { id: violation, indicationId: id });
    default:
      await moveIndication(change, id, next.to, next.reason ?? null);
  }
}

/** The body of the request. Flow `form` carries more data of the driver. */
function requestOf(
  { flow, transfer }: IndicationHistory,
  { person }: SeededUser,
  random: () => number,
): NewIndication {
  const { tax_id, name, email, phone } = person;
  const common = {
    tax_id,
    ...(email != null && { email }),
    ...(phone != null && { phone: phone.replace('+55', '') }),
    requester_email: 'frota@empresa.example',
  };
  if (flow !== 'form') return { ...common, flow: 'automated' };
  return {
    ...common,
    flow: 'form',
    name,
    license: `0${characters(random, DIGITS, 10)}`,
    id_number: characters(random, DIGITS, 8),
    id_issuer: 'SSP',
    transfer: transfer === true,
    documents: [1],
    vars: { cargo: 'Motorista', unidade: 'Matriz' },
  };
}
