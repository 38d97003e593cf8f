/** What deliveries may do: one at a time in a lane and in order, each to one end, nothing that is paused. */
import type { DeliveryStatus } from '../../../src/store/queries.ts';
import { ABANDONED_MS, kindsOf } from '../actors/handlers.ts';
import { EFFECTS, MACHINE } from '../actors/names.ts';
import { KEEP_MS } from '../world/settings.ts';
import type { Call } from './calls.ts';
import type { KnownEvent } from './identity.ts';
import {
  covers,
  didEndWell,
  didCount,
  ended,
  isBefore,
  isOnly,
  isSuperseded,
  keyOf,
  laneOf,
  mayBe,
  policyOf,
  requireResolved,
  type KnownDelivery,
  type KnownPause,
  type ProcessState,
} from './known-delivery.ts';
import { Newest } from './newest.ts';
import type { DeliveryRow } from './rows.ts';
import { violated } from './violation.ts';

export class Deliveries {
  readonly known: KnownDelivery[] = [];
  /** Those that were not seen to have succeeded, or to be skipped, which stay so. */
  readonly unsettled = new Set<KnownDelivery>();
  readonly pauses = new Map<string, KnownPause>();
  readonly newest: Newest;
  readonly #process: ProcessState;
  readonly #byKey = new Map<string, KnownDelivery>();
  readonly #byId = new Map<string, KnownDelivery>();
  /** The unsettled ones of each lane. */
  readonly #lanes = new Map<string, Set<KnownDelivery>>();
  active: Call[] = [];
  /** Calls that failed, until their rows were seen. */
  failures: Call[] = [];
  #deaths = 0;
  /** A clock that jumps may end waits. */
  readonly #jumpsAtEnd = new WeakMap<Call, number>();

  constructor(process: ProcessState) {
    this.#process = process;
    this.newest = new Newest(process);
  }

  /** An event is stored: a delivery for each handler of the process. */
  stored(event: KnownEvent, handlers: readonly string[], kinds = kindsOf): void {
    for (const handler of handlers) {
      if (kinds[handler]?.includes(event.sent.kind) !== true) continue;
      const skipped = event.verdict === 'stale' && !policyOf(handler).stale;
      const delivery = this.#add(event, handler, false, skipped ? 'skipped' : 'pending');
      // A released one may be overtaken.
      if (event.sent.entry !== undefined && !policyOf(handler).stale) delivery.allowed.add('skipped');
    }
  }

  byId(id: string): KnownDelivery | undefined {
    return this.#byId.get(id);
  }

  of(event: KnownEvent, handler: string, effect = ''): KnownDelivery | undefined {
    return this.#byKey.get(keyOf(event, handler, effect));
  }

  #add(
    event: KnownEvent,
    handler: string,
    replay: boolean,
    status: DeliveryStatus,
    effect = '',
  ): KnownDelivery {
    const delivery: KnownDelivery = {
      ...{
        handler,
        event,
        replay,
        lane: laneOf(handler, event),
        id: null,
        allowed: new Set([status]),
        permits: new Set(),
        lives: 0,
      },
      ...{
        lastAttempt: 0,
        lastCall: null,
        holds: false,
        isLetGo: false,
        isEnded: false,
        wasDead: 'no',
        waitedAt: -1,
        endedAt: event.sent.at,
      },
      // Of an effect or a replay nobody knows when it was stored.
      deaths: replay || handler === EFFECTS ? this.#deaths : 0,
    };
    this.known.push(delivery);
    this.unsettled.add(delivery);
    if (!replay) this.#byKey.set(keyOf(event, handler, effect), delivery);
    this.newest.add(delivery);
    const { lane } = delivery;
    if (lane !== null) {
      const others = this.#lanes.get(lane) ?? new Set();
      this.#lanes.set(lane, others.add(delivery));
    }
    return delivery;
  }

  /** Finds a delivery by its id; effects and replays are not known before they are seen. */
  find(id: string, event: KnownEvent, handler: string, replay: boolean, effect = ''): KnownDelivery {
    const known = this.#byId.get(id) ?? (replay ? undefined : this.of(event, handler, effect));
    const isKnown = known !== undefined || replay || handler === EFFECTS;
    if (!isKnown)
      throw violated('acknowledged', `${id} of event ${event.number} to ${handler} is for nobody`);
    const delivery = known ?? this.#add(event, handler, replay, 'pending', effect);
    delivery.id ??= id;
    if (delivery.id !== id) throw violated('once', `event ${event.number} has two deliveries to ${handler}`);
    this.#byId.set(id, delivery);
    return delivery;
  }

  begin(call: Call, event: KnownEvent): void {
    const delivery = this.find(call.delivery, event, call.handler, call.isReplay, call.effect);
    const { handler, allowed, lastCall } = delivery;
    const name = `${call.delivery} (event ${event.number}, ${handler}, attempt ${call.attempt})`;
    if ([...allowed].every((status) => ended.has(status)) && delivery.permits.size === 0)
      throw violated('once', `${name} runs after it was ${[...allowed].join(' or ')}`);
    requireResolved(delivery, name);
    this.#requireLane(delivery, call, name);
    this.newest.begin(delivery, name);
    this.#requireNoPause(delivery, name);
    const { lastAttempt, deaths } = delivery;
    const failed = lastCall !== null && !this.#process.isLost(lastCall) && didCount(lastCall);
    const least = failed ? lastAttempt + 1 : Math.max(1, lastAttempt);
    const fresh = delivery.permits.size > 0 && call.attempt === 1;
    if (!fresh && (call.attempt < least || call.attempt > lastAttempt + 1 + deaths))
      throw violated('attempts', `${name} follows attempt ${lastAttempt}`);
    if (
      failed &&
      lastCall.how === 'later' &&
      !fresh &&
      this.#process.jumps() === this.#jumpsAtEnd.get(lastCall)
    )
      if (call.startedAt - (lastCall.endedAt ?? 0) < lastCall.waitMs)
        throw violated('waits', `${name} did not wait for ${lastCall.waitMs} ms`);
    if (call.attempt > policyOf(handler).attempts + 3) throw violated('attempts', `${name} is one too many`);
    delivery.lastAttempt = call.attempt;
    delivery.lastCall = call;
    delivery.deaths = 0;
    delivery.lives += 1;
    // What runs is in no plan that was made before: should it die again, that is another failure.
    for (const permit of delivery.permits) if (permit.startsWith('job: ')) delivery.permits.delete(permit);
    Object.assign(delivery, { isEnded: false, isLetGo: false });
    delivery.allowed = new Set(['running']);
    this.active.push(call);
  }

  end(call: Call, how: Call['how']): void {
    call.endedAt = this.#process.monotonic();
    call.how = how;
    this.active = this.active.filter((other) => other !== call);
    const delivery = this.#byId.get(call.delivery);
    // What ended while it ran was abandoned, and decided by then.
    if (delivery?.lastCall !== call || delivery.isEnded) return;
    this.#jumpsAtEnd.set(call, this.#process.jumps());
    if (!this.#isAbandoned(call)) delivery.endedAt = this.#process.now();
    delivery.allowed = this.#afterEnd(delivery, call);
    if (!didEndWell(call)) this.failures.push(call);
    if (isOnly(delivery.allowed, 'dead')) delivery.holds = policyOf(delivery.handler).hold;
  }

  #afterEnd({ handler }: KnownDelivery, call: Call): Set<DeliveryStatus> {
    const isLast = call.attempt >= policyOf(handler).attempts;
    const allowed = new Set<DeliveryStatus>();
    if (call.how === 'return') allowed.add('succeeded');
    else if (call.how === 'discard') allowed.add('skipped');
    else if (call.how === 'give-up') allowed.add('dead');
    else allowed.add(isLast ? 'dead' : 'pending');
    const didSucceed = call.how === 'return' || call.how === 'discard';
    // A failure while the breaker is open costs no attempt, and what a stopping process ran is released. Of an
    // abandoned run that was decided before.
    if (
      call.how === 'stopped' ||
      this.#process.isStopping(call.process) ||
      this.#process.isLost(call) ||
      (!didSucceed && (this.#isAbandoned(call) || !this.#process.isClosed(handler)))
    ) {
      allowed.add('pending');
      call.how = 'stopped';
    }
    return allowed;
  }

  #isAbandoned({ startedAt }: Call): boolean {
    return this.#process.monotonic() - startedAt >= ABANDONED_MS;
  }

  /** A delivery is a dead letter: since the end of its run, if that was not abandoned. The machine may have slept between. */
  isDead(id: string): void {
    const delivery = this.#byId.get(id);
    if (delivery === undefined) return;
    const { startedAt = 0, endedAt = null } = delivery.lastCall ?? {};
    if (endedAt === null || endedAt - startedAt >= ABANDONED_MS) delivery.endedAt = this.#process.now();
  }

  /** A delivery became a dead letter without a call: too many processes have died with it. */
  gaveUp(id: string): void {
    const delivery = this.#byId.get(id);
    if (delivery === undefined) return;
    const { lastAttempt, deaths, handler } = delivery;
    if (lastAttempt + deaths < policyOf(handler).attempts + 3)
      throw violated('attempts', `${id} was given up after ${lastAttempt} attempts`);
    this.becameDead(id);
  }

  becameDead(id: string): void {
    const delivery = this.#byId.get(id);
    if (delivery === undefined) return;
    delivery.lives += 1;
    delivery.allowed = new Set(['dead']);
    delivery.holds = policyOf(delivery.handler).hold;
    delivery.endedAt = this.#process.now();
  }

  /** Failures of the same moment may have been observed after it. */
  breakerOpened(handler: string): void {
    for (const delivery of this.unsettled) {
      const { lastCall, allowed } = delivery;
      if (delivery.handler !== handler || lastCall?.endedAt !== this.#process.monotonic()) continue;
      if (allowed.has('succeeded') || allowed.has('skipped')) continue;
      allowed.add('pending');
      lastCall.how = 'stopped';
    }
  }

  isRunning(call: Call): boolean {
    return call.endedAt === null && !this.#process.isLost(call) && !this.#isAbandoned(call);
  }

  /** Runs that ignore their signal count until they are abandoned. */
  requireRoom(concurrency: number): void {
    const running = this.active.filter((call) => this.isRunning(call));
    if (running.length > concurrency)
      throw violated('concurrency', `${running.length} calls run, ${concurrency} may`, running.at(-1));
  }

  #requireLane(delivery: KnownDelivery, call: Call, name: string): void {
    const { lane } = delivery;
    if (lane === null) return;
    for (const other of this.active) {
      const of = this.#byId.get(other.delivery);
      if (this.#process.isLost(other) || of === undefined || of.lane !== lane) continue;
      if (call.startedAt - other.startedAt < ABANDONED_MS)
        throw violated('one at a time', `${name} runs beside ${other.delivery}`);
    }
    this.#requireNoHold(delivery, name);
    for (const other of this.#lanes.get(lane) ?? []) {
      if (other === delivery) continue;
      // Replays and effects are in the order in which they were caused.
      if (other.replay || delivery.replay || delivery.handler === EFFECTS || !isBefore(other, delivery))
        continue;
      const isLeftOut = isSuperseded(other) || this.newest.isOvertaken(other);
      if (isOnly(other.allowed, 'pending') && other.permits.size === 0 && !isLeftOut)
        throw violated('in order', `${name} runs before event ${other.event.number}`);
    }
  }

  /** Nothing that is known for sure keeps it from running. */
  requireFree(delivery: KnownDelivery, name: string): void {
    this.#requireNoPause(delivery, name);
    this.#requireNoHold(delivery, name);
  }

  #requireNoHold(delivery: KnownDelivery, name: string): void {
    for (const other of this.#lanes.get(delivery.lane ?? '') ?? []) {
      // Retention discards old dead letters.
      const isOld = this.#process.highest() - other.endedAt >= KEEP_MS;
      if (other === delivery || !other.holds || isOld) continue;
      if (isOnly(other.allowed, 'dead') && other.permits.size === 0)
        throw violated('held', `${name} runs behind the dead letter ${other.id ?? ''}`);
    }
  }

  #requireNoPause(delivery: KnownDelivery, name: string): void {
    for (const pause of this.pauses.values())
      if (covers(pause, delivery, this.#process))
        throw violated('paused', `${name} runs in spite of ${pause.id}`);
  }

  /** An operator made a dead delivery pending again. */
  revived(id: string): void {
    const delivery = this.#byId.get(id);
    if (delivery === undefined) return;
    Object.assign(delivery, {
      ...{ lastAttempt: 0, lastCall: null, deaths: 0, holds: false, isEnded: false },
    });
    delivery.allowed = new Set(['pending']);
    // Others of its lane may have been claimed before.
    delivery.permits.add('revived');
  }

  /** An operator lets the lane go on behind a delivery, should it be a dead letter. */
  letGo(delivery: KnownDelivery): void {
    Object.assign(delivery, { holds: false, isLetGo: true });
  }

  discarded(id: string): void {
    const delivery = this.#byId.get(id);
    // A call that was abandoned before changes nothing when it ends.
    if (delivery !== undefined)
      Object.assign(delivery, { allowed: new Set(['skipped']), lastCall: null, holds: false });
  }

  /** A process has died, or its lease has ended: what it had begun may have ended or not. */
  died(): void {
    this.active = this.active.filter((call) => !this.#process.isLost(call));
    this.#deaths += 1;
    for (const delivery of this.unsettled) {
      // One that a job has retried may have been claimed, too.
      delivery.deaths += 1;
      if (delivery.isEnded) continue;
      if (![...delivery.allowed].every((status) => status === 'pending')) delivery.allowed.add('pending');
    }
  }

  #settle(delivery: KnownDelivery, isSettled: boolean): void {
    const { lane } = delivery;
    const others = lane === null ? undefined : this.#lanes.get(lane);
    if (isSettled) {
      this.unsettled.delete(delivery);
      others?.delete(delivery);
    } else if (!this.unsettled.has(delivery)) {
      this.unsettled.add(delivery);
      others?.add(delivery);
    }
  }

  /** Compares a row with what is allowed, and takes it over. */
  see(row: DeliveryRow, event: KnownEvent, by?: KnownEvent): void {
    const delivery = this.find(row.id, event, row.handler, row.replay > 0, row.effect);
    const { handler, allowed } = delivery;
    const { status } = row;
    const isFold = handler === MACHINE;
    if (
      !this.newest.wasLeftOut(delivery, status, by, this.pauses.values()) &&
      !mayBe(delivery, row, this.#process.highest())
    )
      throw violated(
        'outcome',
        `${row.id} (event ${event.number}, ${handler}) is ${status}, expected ${[...allowed].join(' or ')}`,
        { row, call: delivery.lastCall },
      );
    if (
      status === 'succeeded' &&
      delivery.lastCall !== null &&
      !isFold &&
      row.attempts !== delivery.lastAttempt
    )
      throw violated('attempts', `${row.id} has ${row.attempts} attempts, expected ${delivery.lastAttempt}`);
    if (ended.has(status)) {
      if (status === 'dead' && !delivery.isEnded && !delivery.isLetGo)
        delivery.holds = policyOf(handler).hold;
      delivery.isEnded = true;
      if (status === 'dead') delivery.wasDead = 'yes';
    } else if (delivery.isEnded) {
      Object.assign(delivery, { isEnded: false, lastAttempt: 0, lastCall: null });
    }
    if (status === 'pending') delivery.waitedAt = this.#process.monotonic();
    if (status !== 'running') {
      delivery.allowed = new Set([status]);
      if (status === 'pending' && delivery.permits.has('revived') && delivery.lastCall !== null)
        delivery.permits.delete('revived');
      if (ended.has(status)) delivery.permits.delete('revived');
    }
    this.#settle(delivery, status === 'succeeded' || status === 'skipped');
  }
}
