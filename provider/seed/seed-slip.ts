import type { SlipMove } from '../scenario/next-slip-move.ts';
import type { Process } from '../scenario/scenario-tables.ts';
import { unscheduleSteps } from '../scenario/schedule-step.ts';
import { DAY, MINUTE, SECOND, type At } from './seeding.ts';

/** What a request for a payment slip asks for, and how it goes on from `pending`. */
export interface SlipHistory {
  readonly asked?: 'full' | 'partial';
  readonly moves: readonly SlipMove[];
}

const requested = { status: 'requested' } as const;
const issued = (method: 'bank_slip' | 'pix') => [requested, { status: 'issued', method }] as const;
const rejected = { status: 'rejected', reason: 'Débito não disponível para pagamento' } as const;
const failed = { status: 'failed', reason: 'Falha na comunicação com o órgão autuador' } as const;

/** In turn. */
const fates: readonly SlipHistory[] = [
  { asked: 'full', moves: issued('bank_slip') },
  { moves: [] },
  { moves: [requested, rejected] },
  { moves: issued('pix') },
  { asked: 'partial', moves: issued('pix') },
  { moves: [requested] },
  { asked: 'full', moves: issued('pix') },
  { moves: [failed] },
  { moves: issued('bank_slip') },
  { asked: 'partial', moves: issued('bank_slip') },
  { moves: [requested, { status: 'failed', reason: 'Boleto não gerado pelo órgão' }] },
];

export function slipHistory(number: number): SlipHistory {
  return fates[number % fates.length] ?? { moves: [] };
}

/** How long ago a slip that is done was requested, at most. */
const OLDEST = 12 * DAY;
/** And one that still waits. */
const JUST_NOW = 20 * SECOND;

/** How a slip is requested (answering its id), and moved on. */
export interface SlipFamily {
  readonly process: Process;
  request(at: At, moment: number): Promise<number>;
  move(at: At, moment: number, id: number, move: SlipMove): Promise<unknown>;
}

/**
 * Plays the life of a slip: a request some time ago, the agency's answer a minute later.
 *
 * @param since the earliest moment for it. @param share from 0 to 1, of the time since then.
 */
export async function seedSlip(
  at: At,
  { moves }: SlipHistory,
  kind: SlipFamily,
  { since, now, share }: { readonly since: number; readonly now: number; readonly share: number },
): Promise<void> {
  const last = moves.at(-1);
  const waits = last === undefined || last.status === 'requested';
  const latest = now - 3 * MINUTE;
  const earliest = Math.min(latest, Math.max(since, now - OLDEST));
  let moment = waits ? now - JUST_NOW : earliest + share * (latest - earliest);
  const id = await kind.request(at, moment);
  for (const move of moves) {
    moment += move.status === 'requested' ? 3 * SECOND : MINUTE;
    await kind.move(at, moment, id, move);
  }
  if (!waits) await unscheduleSteps(at(now), [kind.process], id);
}
