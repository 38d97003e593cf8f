/** Of a handler of order `latest`, the newest delivery of a subject runs once it is quiet; those before it are left out. */
import { ABANDONED_MS, WAITS } from '../actors/handlers.ts';
import { isLimited } from '../actors/names.ts';
import { KEEP_MS } from '../world/settings.ts';
import type { Call } from './calls.ts';
import type { KnownEvent } from './identity.ts';
import {
  covers,
  isOnly,
  nameOf,
  policyOf,
  type KnownDelivery,
  type KnownPause,
  type ProcessState,
} from './known-delivery.ts';
import { violated } from './violation.ts';

interface Arrival {
  readonly delivery: KnownDelivery;
  /** After how many rests of the process. */
  readonly at: number;
  readonly jumps: number;
}

interface Lane {
  readonly arrivals: Arrival[];
  /** When the first event has arrived since one ran, by the wall clock. */
  first: number;
}

export class Newest {
  readonly #process: ProcessState;
  readonly #lanes = new Map<string, Lane>();
  /** The last one that began. */
  #began: Arrival | undefined;

  constructor(process: ProcessState) {
    this.#process = process;
  }

  #of(delivery: KnownDelivery): Lane {
    const name = delivery.lane ?? '';
    const lane = this.#lanes.get(name) ?? { arrivals: [], first: Infinity };
    this.#lanes.set(name, lane);
    return lane;
  }

  /** A delivery that is no replay is stored. */
  add(delivery: KnownDelivery): void {
    if (policyOf(delivery.handler).order !== 'latest' || delivery.replay) return;
    const lane = this.#of(delivery);
    lane.arrivals.push({ delivery, at: this.#process.rests(), jumps: this.#process.jumps() });
    lane.first = Math.min(lane.first, delivery.event.sent.at);
  }

  /** Those that may take its place: newer, and no late redeliveries. */
  #newerThan(delivery: KnownDelivery): readonly Arrival[] {
    if (policyOf(delivery.handler).order !== 'latest' || delivery.replay) return [];
    return this.#of(delivery).arrivals.filter(
      ({ delivery: { event } }) => event.verdict !== 'ambiguous' && isNewer(event, delivery.event),
    );
  }

  /** Of three, each may be newer than another one, where a clock went back and some are released: then either holds. */
  #isBefore(delivery: KnownDelivery, by: KnownEvent): boolean {
    const newer = this.#newerThan(delivery).map((later) => later.delivery.event);
    return newer.includes(by) || newer.some((between) => isNewer(by, between));
  }

  isOvertaken(delivery: KnownDelivery): boolean {
    return this.#newerThan(delivery).length > 0;
  }

  /** A delivery begins: none that is newer has run before, unless an operator asked for it. */
  begin(delivery: KnownDelivery, name: string): void {
    if (policyOf(delivery.handler).order !== 'latest' || delivery.replay) return;
    if (delivery.permits.size > 0 && delivery.wasDead === 'no') delivery.wasDead = 'perhaps';
    this.#began = this.#of(delivery).arrivals.find((one) => one.delivery === delivery);
    if (delivery.wasDead !== 'no' || delivery.event.sent.entry !== undefined) return;
    const later = this.#newerThan(delivery).find(
      ({ delivery: { lives, event } }) => lives > 0 && event.sent.entry === undefined,
    );
    if (later !== undefined)
      throw violated('newest', `${name} runs after event ${later.delivery.event.number}`);
  }

  /**
   * No newer one waits, and none has arrived for a while, or one has waited for long.
   *
   * @param isPrompt whether it was claimed when it began
   */
  requireNewest(call: Call, isPrompt: boolean): void {
    if (policyOf(call.handler).order !== 'latest' || call.isReplay) return;
    const now = this.#process.now();
    const own = this.#began;
    if (own?.delivery.id !== call.delivery || own.delivery.wasDead !== 'no') return;
    const lane = this.#of(own.delivery);
    const { sent, number } = own.delivery.event;
    const waiting = lane.arrivals.filter(({ delivery: { allowed } }) => allowed.has('pending'));
    const first = Math.min(lane.first, ...waiting.map(({ delivery }) => delivery.event.sent.at));
    lane.first = Infinity;
    const waitedMs = now - sent.at;
    const isQuiet = waitedMs >= WAITS.quietMs || now - first >= WAITS.maxWaitMs;
    if (!isQuiet && waitedMs >= 0 && own.jumps === this.#process.jumps())
      throw violated('newest', `${call.delivery} (event ${number}) runs ${waitedMs} ms after it came`);
    // Without a rate, it may have been claimed long before.
    if (!isPrompt || !isLimited(call.handler, this.#process.seed)) return;
    for (const { delivery, at } of this.#newerThan(own.delivery))
      if (
        at < this.#process.rests() &&
        !this.#isBefore(delivery, own.delivery.event) &&
        delivery.wasDead === 'no' &&
        delivery.permits.size === 0 &&
        isOnly(delivery.allowed, 'pending')
      )
        throw violated(
          'newest',
          `${call.delivery} (event ${number}) runs, and event ${delivery.event.number} waits`,
        );
  }

  /** Whether a delivery was skipped because of a newer event, which then is newer, and nothing kept it. */
  wasLeftOut(
    delivery: KnownDelivery,
    status: string,
    by: KnownEvent | undefined,
    pauses: Iterable<KnownPause>,
  ): boolean {
    const { event, lastCall, allowed, waitedAt, wasDead, replay } = delivery;
    const { highest, monotonic } = this.#process;
    // Of an old one, the reason may be pruned.
    if (by === undefined)
      return status === 'skipped' && highest() - event.sent.at >= KEEP_MS && this.isOvertaken(delivery);
    // A run that ignores its signal was given up before.
    const isAbandoned = lastCall?.endedAt === null && monotonic() - lastCall.startedAt >= ABANDONED_MS;
    if (!allowed.has('pending') && !isAbandoned) return false;
    const name = `${delivery.id ?? ''} (event ${event.number}) is superseded by event ${by.number}`;
    if (wasDead === 'yes' || replay) throw violated('newest', `${name}, and an operator asked for it`);
    if (!this.#isBefore(delivery, by)) throw violated('newest', `${name}, which is not newer`, [event, by]);
    for (const pause of pauses)
      if (pause.since <= waitedAt && covers(pause, delivery, this.#process))
        throw violated('paused', `${name} in spite of ${pause.id}`);
    const lane = this.#of(delivery);
    lane.first = Math.min(lane.first, event.sent.at);
    return true;
  }
}

/** By version, or where one has none, by arrival. What was stored before a release may have arrived after the released one. */
function isNewer(one: KnownEvent, other: KnownEvent): boolean {
  const [a, b] = [one.sent, other.sent];
  if (nameOf(one) !== nameOf(other)) return false;
  if (a.version !== null && b.version !== null && a.version !== b.version) return a.version > b.version;
  const isReleased = (one.number > other.number ? a : b).entry !== undefined;
  return isReleased && a.at !== b.at ? a.at > b.at : one.number > other.number;
}
