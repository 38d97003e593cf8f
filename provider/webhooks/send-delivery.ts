import type { Clock } from '../../src/kernel/time/clock.ts';
import type { Random } from '../../src/kernel/random/random.ts';
import type { ChaosRates } from './chaos/chaos-rates.ts';
import { decideChaos, WHOLE_AFTER_MS, type Fate } from './chaos/decide-chaos.ts';
import type { DueDelivery, Repeat, Settlement } from './outbox.ts';
import type { PostOutcome, WebhookPoster } from './post-webhook.ts';
import type { SenderCounts } from './sender-counts.ts';
import type { SendingEndpoint } from './sending-endpoint.ts';
import { settleTry } from './settle-try.ts';
import { signedBy } from './standard-signing.ts';

/** What may happen to webhooks on their way, and by which numbers. */
export interface Chaos {
  readonly rates: ChaosRates;
  readonly seed: number;
}

export interface SendingParts {
  readonly poster: WebhookPoster;
  /** The provider's time: when tries are due. */
  readonly clock: Clock;
  /** The machine's: what signatures say. */
  readonly machine: Clock;
  readonly random: Random;
  readonly chaos: () => Chaos;
  readonly counts: SenderCounts;
  /** Aborted when what is on its way is broken off. */
  readonly cut: AbortSignal;
}

export interface SendResult {
  readonly settlement: Settlement;
  readonly repeats: readonly Repeat[];
}

/** What chaos has in store for a delivery; nothing for a repeat, which is its doing already. */
export function fateOf({ id, repeats }: DueDelivery, { rates, seed }: Chaos): Fate | null {
  return repeats === null ? decideChaos(rates, seed, id) : null;
}

/**
 * One try, or what chaos does in its place.
 *
 * @param overtaken whether a later one of its lane was sent already.
 * @returns null when it was cut off: the try counts for nothing.
 */
export async function sendDelivery(
  parts: SendingParts,
  endpoint: SendingEndpoint,
  delivery: DueDelivery,
  overtaken: boolean,
): Promise<SendResult | null> {
  const { clock, counts, cut } = parts;
  const fate = fateOf(delivery, parts.chaos());
  const isFirst = delivery.attempts === 0;
  if (isFirst && delivery.status === 'pending' && fate !== null) {
    const kept = keptBack(delivery, fate, parts);
    if (kept !== null) return { settlement: kept, repeats: [] };
  }
  if (isFirst && overtaken && fate?.held?.by === 'reorder') counts.reorder += 1;

  const cutAt = isFirst ? (fate?.truncatedTo ?? null) : null;
  const outcome = await post(parts, endpoint, delivery, cutAt);
  if (cut.aborted && !outcome.delivered) return null;
  counts.sent += 1;
  if (delivery.repeats !== null) counts[delivery.repeats === 'duplicate' ? 'duplicates' : 'resign'] += 1;

  const now = clock.now();
  if (cutAt !== null) {
    counts.truncation += 1;
    // Whatever was answered: nobody can have handled what did not arrive.
    return { settlement: setAside(delivery, now, WHOLE_AFTER_MS, 'cut off by chaos'), repeats: [] };
  }
  const settlement = settleTry(delivery, outcome, { now, random: parts.random });
  counts[outcome.delivered ? 'delivered' : 'failed'] += 1;
  if (settlement.status === 'dead') counts.dead += 1;
  return { settlement, repeats: outcome.delivered ? repeatsOf(delivery, fate, endpoint, now) : [] };
}

/** What becomes of a delivery that chaos does not let go now; null for one that may. */
function keptBack(
  delivery: DueDelivery,
  { lost, held }: Fate,
  { clock, counts }: SendingParts,
): Settlement | null {
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

/** From there it comes when it is due, and holds up nobody. */
function setAside(
  { id, attempts }: DueDelivery,
  now: number,
  ms: number,
  failure: string | null,
): Settlement {
  const dueAt = new Date(now + ms).toISOString();
  return { id, status: 'aside', attempts: attempts + 1, dueAt, failure };
}

function repeatsOf(
  { id }: DueDelivery,
  fate: Fate | null,
  { secret }: SendingEndpoint,
  now: number,
): readonly Repeat[] {
  return (fate?.repeats ?? []).map(({ kind, afterMs }) => ({
    of: id,
    // Without a signature there is nothing to sign anew.
    kind: secret === null ? 'duplicate' : kind,
    dueAt: new Date(now + afterMs).toISOString(),
  }));
}

function post(
  { poster, machine }: SendingParts,
  { url, secret, message_prefix }: SendingEndpoint,
  { id, eventId, repeats, body }: DueDelivery,
  cutAt: number | null,
): Promise<PostOutcome> {
  const messageId = `msg_${message_prefix}${String(eventId)}${repeats === 'resigned' ? `r${String(id)}` : ''}`;
  const headers = secret === null ? {} : signedBy(secret, messageId, machine.now(), body);
  const whole = Buffer.from(body);
  const bytes = cutAt === null ? whole : whole.subarray(0, Math.floor(whole.length * cutAt));
  return poster.post({ url, headers: { ...headers }, body: bytes });
}
