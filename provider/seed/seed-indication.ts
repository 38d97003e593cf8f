import { keyedRandom } from '../../src/kernel/random/keyed-random.ts';
import type { NewIndication } from '../../src/contract/api/indication-endpoints.ts';
import { addDays, startOfDay } from '../brazilian-day.ts';
import {
  createIndication,
  observeIndication,
  cancelIndication,
  moveIndication,
  type IndicationMove,
  setIndicationRule,
} from '../indications/change-indication.ts';
import { refuseDocument, signDocument, viewDocument } from '../indications/sign-document.ts';
import { scheduleStep, unscheduleSteps } from '../scenario/schedule-step.ts';
import { characters, DIGITS, LETTERS } from './pick.ts';
import { HOUR, MINUTE, SECOND, type At, type Seeding } from './seeding.ts';
import type { SeededUser } from './seed-users.ts';

type Move =
  | { readonly to: IndicationMove; readonly reason?: string }
  | { readonly to: 'viewed' | 'signed'; readonly signer: number }
  | { readonly to: 'refused'; readonly reason: string }
  | { readonly to: 'canceled' };

/** How an indication is made, and how it goes on from `pending`. */
interface IndicationHistory {
  readonly flow: 'automated' | 'form' | 'observed';
  readonly transfer?: true;
  readonly moves: readonly Move[];
}

const viewed = { to: 'viewed', signer: 0 } as const;
const signed = [viewed, { to: 'signed', signer: 0 }] as const;

/** In turn: every state, in both flows where there is one, and what happens outside. */
const fates: readonly IndicationHistory[] = [
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

/** What the organization calls some statuses; the others have no label. */
export async function seedIndicationRules({ now }: Seeding, at: At): Promise<void> {
  const rules = [
    { status: 'pending', label: 'Aguardando condutor', description: 'O condutor ainda não respondeu.' },
    { status: 'accepted', label: 'Aceita', description: 'O condutor aceitou a indicação.' },
    { status: 'filed', label: 'Protocolada', description: null },
  ] as const;
  for (const rule of rules) await setIndicationRule(at(now), rule);
}

/** Where an indication is made: a violation that takes one. */
export interface IndicatedViolation {
  readonly id: number;
  /** The earliest moment, milliseconds since 1970. */
  readonly since: number;
  /** The last day for indications. */
  readonly deadline: string;
}

/** Indicates a driver, and plays what becomes of it. @param number of the indication, from 0. */
export async function seedIndication(
  seeding: Seeding,
  at: At,
  number: number,
  { id: violation, since, deadline }: IndicatedViolation,
  driver: SeededUser,
): Promise<void> {
  const fate = fates[number % fates.length];
  if (fate === undefined) return;
  const random = keyedRandom(seeding.seed, `indication:${String(seeding.organization)}:${String(violation)}`);
  const last = fate.moves.at(-1)?.to;
  // What still waits for somebody has begun just now: otherwise it would not wait any more.
  const waits = last === undefined || last === 'viewed' || last === 'signed';
  const latest = seeding.now - (waits ? 2 * MINUTE : 5 * HOUR);
  const earliest = waits ? latest : Math.min(since, latest);
  let moment = earliest + random() * (latest - earliest);
  const { tax_id, name } = driver.person;
  const token = () => characters(random, LETTERS + DIGITS, 24);
  const signing = { drawSecret: token, baseUrl: seeding.baseUrl };

  const { id } =
    fate.flow === 'observed'
      ? await observeIndication(at(moment), violation, { tax_id, name })
      : await createIndication(at(moment), violation, asked(fate, driver, random), signing);
  seeding.count('driver indications');
  const signers = await signersOf(at(moment), id);
  for (const move of fate.moves) {
    moment += waits ? 20 * SECOND : 20 * MINUTE;
    await play(at, moment, { violation, id, signers }, move);
  }
  if (last === 'refused') {
    const end = startOfDay(addDays(deadline, 1));
    await scheduleStep(at(seeding.now), 'indication', id, { at: end });
  } else if (!waits) await unscheduleSteps(at(seeding.now), ['indication'], id);
}

async function play(
  at: At,
  moment: number,
  {
    violation,
    id,
    signers,
  }: { readonly violation: number; readonly id: number; readonly signers: readonly string[] },
  move: Move,
): Promise<void> {
  const change = at(moment);
  switch (move.to) {
    case 'viewed':
      return viewDocument(change, id, signers[move.signer] ?? '');
    case 'signed':
      return signDocument(change, id, signers[move.signer] ?? '');
    case 'refused':
      return refuseDocument(change, id, signers[0] ?? '', move.reason);
    case 'canceled':
      return cancelIndication(change, { id: violation, indicationId: id });
    default:
      await moveIndication(change, id, move.to, move.reason ?? null);
  }
}

/** What is asked for: by document more of the driver is given. */
function asked(
  { flow, transfer }: IndicationHistory,
  { person }: SeededUser,
  random: () => number,
): NewIndication {
  const { tax_id, name, email, phone } = person;
  const known = {
    tax_id,
    ...(email != null && { email }),
    ...(phone != null && { phone: phone.replace('+55', '') }),
    requester_email: 'frota@empresa.example',
  };
  if (flow !== 'form') return { ...known, flow: 'automated' };
  return {
    ...known,
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

async function signersOf({ transaction }: ReturnType<At>, indication: number): Promise<readonly string[]> {
  const rows = await transaction
    .selectFrom('document_signers')
    .innerJoin('signing_documents', 'signing_documents.id', 'document_signers.document_id')
    .select('document_signers.token')
    .where('signing_documents.indication_id', '=', indication)
    .orderBy('position')
    .execute();
  return rows.map(({ token }) => token);
}
