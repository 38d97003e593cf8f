/** Sends a delivery, with the effects of chaos. */
import { backoffMs, type RetryPolicy } from '../../../src/kernel/time/backoff.ts';
import type { Clock } from '../../../src/kernel/time/clock.ts';
import type { Random } from '../../../src/kernel/random.ts';
import type { ChaosEffect, ChaosRates } from '../chaos/chaos-rates.ts';
import { decideChaos, WHOLE_AFTER_MS, type Fate } from '../chaos/decide-chaos.ts';
import type { DeliveryUpdate, DueDelivery, Endpoint, Repeat } from '../outbox/outbox.ts';
import { postWebhook, type PostOutcome } from './post-webhook.ts';
import { signatureHeaders } from './standard-signing.ts';

/** Rates of the effects of chaos, and the seed that decides which webhooks they hit. */
export interface Chaos {
  readonly rates: ChaosRates;
  readonly seed: number;
}

/** What the sender did since it started. */
export type SenderCounts = Record<
  /** Requests made. */
  | 'sent'
  /** 2xx responses, to repeats too. */
  | 'delivered'
  /** Failed attempts. */
  | 'failed'
  /** Webhooks whose last attempt failed. */
  | 'dead'
  /** Effects of chaos. `reorder` counts only webhooks that a later one did overtake. */
  | ChaosEffect,
  number
>;

export function newCounts(): SenderCounts {
  const counts = { sent: 0, delivered: 0, failed: 0, dead: 0 };
  const effects = { duplicates: 0, resign: 0, reorder: 0, delay: 0, drops: 0, losses: 0 };
  return { ...counts, ...effects, truncation: 0, bursts: 0 };
}

export interface SendingDeps {
  /** The provider's clock, for due times. */
  readonly clock: Clock;
  /** The machine's clock, for signatures. */
  readonly machine: Clock;
  readonly random: Random;
  readonly chaos: () => Chaos;
  readonly counts: SenderCounts;
  /** Aborted when attempts in flight are cut off. */
  readonly cut: AbortSignal;
}

export interface SendResult {
  readonly update: DeliveryUpdate;
  readonly repeats: readonly Repeat[];
}

/**
 * Waits of up to 1 s, 2 s, 4 s … 32 s and then 60 s between attempts: one to two
 * minutes in all, enough for a receiver to restart.
 */
const retryPolicy: RetryPolicy = { attempts: 8, baseMs: 1_000, maxMs: 60_000 };

/** Returns what chaos does to a delivery; null for a repeat, which chaos has added. */
export function fateOf({ id, repeats }: DueDelivery, { rates, seed }: Chaos): Fate | null {
  return repeats === null ? decideChaos(rates, seed, id) : null;
}

/**
 * Makes one attempt, or does what chaos does instead.
 *
 * @param overtaken whether a later delivery of the lane succeeded already.
 * @returns null when the attempt was cut off; it does not count.
 */
export async function sendDelivery(
  deps: SendingDeps,
  endpoint: Endpoint,
  delivery: DueDelivery,
  overtaken: boolean,
): Promise<SendResult | null> {
  const { clock, counts, cut } = deps;
  const fate = fateOf(delivery, deps.chaos());
  const isFirst = delivery.attempts === 0;
  if (isFirst && delivery.status === 'pending' && fate !== null) {
    const update = delayed(delivery, fate, deps);
    if (update !== null) return { update, repeats: [] };
  }
  if (isFirst && overtaken && fate?.held?.by === 'reorder') counts.reorder += 1;

  const cutAt = isFirst ? (fate?.truncatedTo ?? null) : null;
  const outcome = await post(deps, endpoint, delivery, cutAt);
  if (cut.aborted && !outcome.delivered) return null;
  counts.sent += 1;
  if (delivery.repeats !== null) counts[delivery.repeats === 'duplicate' ? 'duplicates' : 'resign'] += 1;

  const now = clock.now();
  if (cutAt !== null) {
    counts.truncation += 1;
    // Whatever the response: the receiver did not get the whole body.
    return { update: setAside(delivery, now, WHOLE_AFTER_MS, 'truncated by chaos'), repeats: [] };
  }
  const update = afterAttempt(delivery, outcome, now, deps.random);
  counts[outcome.delivered ? 'delivered' : 'failed'] += 1;
  if (update.status === 'dead') counts.dead += 1;
  return { update, repeats: outcome.delivered ? repeatsOf(delivery, fate, endpoint, now) : [] };
}

/** Returns the update of a delivery that chaos loses or delays before its first attempt; null otherwise. */
function delayed(
  delivery: DueDelivery,
  { lost, held }: Fate,
  { clock, counts }: SendingDeps,
): DeliveryUpdate | null {
  const now = clock.now();
  if (lost) {
    counts.losses += 1;
    const dueAt = new Date(now).toISOString();
    return { id: delivery.id, status: 'lost', attempts: 1, dueAt, failure: 'lost by chaos' };
  }
  if (held === null) return null;
  if (held.by === 'drops') {
    counts.drops += 1;
    return setAside(delivery, now, held.ms, 'dropped by chaos');
  }
  if (held.by === 'delay') counts.delay += 1;
  return { ...setAside(delivery, now, held.ms, null), attempts: 0 };
}

/** Takes a delivery out of the order of its lane until it is due. */
function setAside(
  { id, attempts }: DueDelivery,
  now: number,
  ms: number,
  failure: string | null,
): DeliveryUpdate {
  const dueAt = new Date(now + ms).toISOString();
  return { id, status: 'aside', attempts: attempts + 1, dueAt, failure };
}

/** Returns the delivery after an attempt. A receiver may ask for a longer wait, up to the policy's maximum. */
function afterAttempt(
  { id, status, attempts: before }: DueDelivery,
  outcome: PostOutcome,
  now: number,
  random: Random,
): DeliveryUpdate {
  const attempts = before + 1;
  const at = (instant: number) => new Date(instant).toISOString();
  if (outcome.delivered) return { id, status: 'delivered', attempts, dueAt: at(now), failure: null };
  const failure = outcome.reason;
  if (attempts >= retryPolicy.attempts) return { id, status: 'dead', attempts, dueAt: at(now), failure };
  const requested = Math.min(outcome.retryAfterMs ?? 0, retryPolicy.maxMs);
  const wait = Math.max(requested, backoffMs(retryPolicy, attempts, random));
  return { id, status, attempts, dueAt: at(now + wait), failure };
}

function repeatsOf(
  { id }: DueDelivery,
  fate: Fate | null,
  { secret }: Endpoint,
  now: number,
): readonly Repeat[] {
  return (fate?.repeats ?? []).map(({ kind, afterMs }) => ({
    of: id,
    // An unsigned webhook has no signature to renew.
    kind: secret === null ? 'duplicate' : kind,
    dueAt: new Date(now + afterMs).toISOString(),
  }));
}

function post(
  { machine, cut }: SendingDeps,
  { url, secret, message_prefix }: Endpoint,
  { id, eventId, repeats, body }: DueDelivery,
  cutAt: number | null,
): Promise<PostOutcome> {
  const messageId = `msg_${message_prefix}${String(eventId)}${repeats === 'resigned' ? `r${String(id)}` : ''}`;
  const headers = secret === null ? {} : signatureHeaders(secret, messageId, machine.now(), body);
  const whole = Buffer.from(body);
  const bytes = cutAt === null ? whole : whole.subarray(0, Math.floor(whole.length * cutAt));
  return postWebhook({ url, headers: { ...headers }, body: bytes }, { clock: machine, signal: cut });
}
