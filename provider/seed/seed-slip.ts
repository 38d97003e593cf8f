/** Seeds payment slips. */
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/kernel/time/durations.ts';
import type { Change } from '../change.ts';
import type { SlipMove } from '../scenario/next-slip-move.ts';
import type { Process } from '../scenario/scenario-tables.ts';
import { unscheduleSteps } from '../scenario/schedule-step.ts';
import { cycle } from './pick.ts';
import type { At, Seeded, Seeding } from './seeding.ts';

/** The history of a payment slip: the discount of its request, then its moves from `pending`. */
export interface SlipHistory {
  readonly discount?: 'full' | 'partial';
  readonly moves: readonly SlipMove[];
}

const requested = { status: 'requested' } as const;
const issued = (method: 'bank_slip' | 'pix') => [requested, { status: 'issued', method }] as const;
const rejected = { status: 'rejected', reason: 'Débito não disponível para pagamento' } as const;
const failed = { status: 'failed', reason: 'Falha na comunicação com o órgão autuador' } as const;

const histories: readonly [SlipHistory, ...SlipHistory[]] = [
  { discount: 'full', moves: issued('bank_slip') },
  { moves: [] },
  { moves: [requested, rejected] },
  { moves: issued('pix') },
  { discount: 'partial', moves: issued('pix') },
  { moves: [requested] },
  { discount: 'full', moves: issued('pix') },
  { moves: [failed] },
  { moves: issued('bank_slip') },
  { discount: 'partial', moves: issued('bank_slip') },
  { moves: [requested, { status: 'failed', reason: 'Boleto não gerado pelo órgão' }] },
];

/** Returns the history of the slip with this number (from 0). */
export function slipHistory(number: number): SlipHistory {
  return cycle(histories, number);
}

/** Maximum age of the request of a finished slip. */
const MAX_AGE_MS = 12 * DAY_MS;
/** Age of the request of a slip that is still pending or requested. */
const OPEN_AGE_MS = 20 * SECOND_MS;

/** The slips of one family of records. */
export interface SlipFamily {
  readonly process: Process;
  /** What the slips count as. */
  readonly counted: Seeded;
  request(change: Change): Promise<{ readonly id: number }>;
  move(this: void, change: Change, id: number, move: SlipMove): Promise<unknown>;
}

/**
 * Seeds a payment slip with its history: the request, then the response of the
 * agency a minute later.
 *
 * @param since the earliest time of the request, milliseconds since 1970.
 * @param share where the request lies between that time and now, from 0 to 1.
 */
export async function seedSlip(
  seeding: Seeding,
  at: At,
  { moves }: SlipHistory,
  family: SlipFamily,
  { since, share }: { readonly since: number; readonly share: number },
): Promise<void> {
  const { now } = seeding;
  const last = moves.at(-1);
  const isOpen = last === undefined || last.status === 'requested';
  const latest = now - 3 * MINUTE_MS;
  const earliest = Math.min(latest, Math.max(since, now - MAX_AGE_MS));
  let time = isOpen ? now - OPEN_AGE_MS : earliest + share * (latest - earliest);
  const { id } = await family.request(at(time));
  seeding.count(family.counted);
  for (const move of moves) {
    time += move.status === 'requested' ? 3 * SECOND_MS : MINUTE_MS;
    await family.move(at(time), id, move);
  }
  if (!isOpen) await unscheduleSteps(at(now), [family.process], id);
}
