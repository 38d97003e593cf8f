/**
 * The path of a delivery in this process, and of its lane after it:
 *
 *     claim -> admit -> take from its rate -> perform -> classify -> record -> continue the lane
 */
import type { Runnable } from '../handle/load/registry.ts';
import type { Random } from '../kernel/random.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { ClaimedDelivery, LatestHandler } from '../store/lane-queue.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { FindTracing } from '../telemetry/tracing.ts';
import type { Admission } from './admit/admission.ts';
import type { Breakers } from './admit/breakers.ts';
import type { ProbeChoice } from './admit/circuit-breaker.ts';
import type { Rates } from './admit/rates.ts';
import type { Scheduler } from './admit/scheduler.ts';
import { classify, failureOf, policiesOf, retryPolicy } from './attempt/classify.ts';
import type { Perform } from './attempt/perform.ts';
import type { ResolveAmbiguity } from './attempt/resolve-ambiguity.ts';
import { hasCapacity, type InFlight } from './claim/in-flight.ts';
import { createPrefetcher } from './claim/prefetcher.ts';
import { deliveryFields, type Attempt, type LaneRun, type Lanes, type Recorder } from './record/recorder.ts';
import type { ReleaseDeliveries } from './record/release-deliveries.ts';
import type { Following, RetriedStore } from './retried-store.ts';

/** Deliveries of a lane in a row, before it queues behind other lanes. */
const MAX_IN_A_ROW = 25;

export interface DeliveryPipeline {
  /**
   * Claims what is due, up to the capacity, and starts it. Claims one delivery
   * of each handler whose breaker has been open long enough, as its probe.
   *
   * @returns milliseconds until more can be claimed; null when nothing is
   *   pending; Infinity when only free capacity or another process can help
   * @throws the store's error, as `RetriedStore` does
   */
  claim(): Promise<number | null>;
  /** Deliveries that are prefetched and have not started. */
  prefetched(): number;
}

export function createDeliveryPipeline(deps: {
  readonly store: Pick<RetriedStore, 'claim'>;
  readonly inFlight: InFlight;
  readonly breakers: Breakers;
  readonly admission: Admission;
  readonly scheduler: Scheduler;
  readonly resolveAmbiguity: ResolveAmbiguity;
  readonly rates: Rates;
  readonly perform: Perform;
  readonly createRecorder: (lanes: Lanes) => Recorder;
  readonly release: ReleaseDeliveries;
  readonly latest: readonly LatestHandler[];
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly random: Random;
  readonly tracing?: FindTracing | undefined;
}): DeliveryPipeline {
  const { store, inFlight, breakers, admission, scheduler, resolveAmbiguity, rates, perform, release } = deps;
  const { latest, telemetry, clock, random, tracing } = deps;
  const newestOnly = new Set(latest.map(({ handler }) => handler));
  const prefetcher = createPrefetcher({ scheduler, admission, inFlight, release, start });
  const recorder = deps.createRecorder({ mayContinue, continueLane, foldAgain: run });

  // Claim

  async function claim(): Promise<number | null> {
    const waits: (number | null)[] = [];
    for (const { handler, ...choice } of breakers.toProbe()) waits.push(await claimFor([handler], choice));
    waits.push(await claimFor(breakers.admitted()));
    // Read last: a breaker may have opened during the claims.
    waits.push(breakers.nextProbeInMs());
    const known = waits.filter((wait) => wait !== null);
    return known.length === 0 ? null : Math.min(...known);
  }

  /** @param choice which delivery is claimed as the probe of a handler; without it, all that are due */
  async function claimFor(handlers: readonly string[], choice?: ProbeChoice): Promise<number | null> {
    if (handlers.length === 0) return null;
    const capacity = inFlight.capacity();
    if (!hasCapacity(capacity)) return Infinity;
    const limits =
      choice === undefined
        ? { limit: capacity.run, prefetch: capacity.prefetch, notPrefetched: rates.limited }
        : { limit: 1, untriedFirst: choice.from, exceptSources: choice.exceptSources };
    const startedAt = clock.monotonic();
    const claim = await store.claim({ handlers, latest, ...limits });
    const { deliveries, unread, prefetched, superseded, nextDueAt } = claim;
    for (const skipped of superseded) telemetry.emit('deliveries.superseded', skipped);
    inFlight.claimTook(clock.monotonic() - startedAt);
    inFlight.add(deliveries.length + unread.length);
    for (const delivery of deliveries) {
      if (choice !== undefined) breakers.startProbe(delivery.handler);
      // In a later tick, so that acknowledgements go out before handlers run.
      scheduler.defer(() => {
        start(delivery, choice !== undefined);
      });
    }
    prefetcher.add(prefetched);
    void release.unreadable(unread);
    if (nextDueAt === null) return null;
    const waitMs = nextDueAt - clock.now();
    // Another process has claimed it: asking again at once would spin.
    return waitMs > 0 ? waitMs : Infinity;
  }

  function start(delivery: ClaimedDelivery, probe = false): void {
    run(delivery, { handler: delivery.handler, probe, inARow: 1, folds: 1 });
  }

  /** Takes one delivery to its recorded outcome. Never throws. */
  function run(delivery: ClaimedDelivery, lane: LaneRun): void {
    const record = (ended: Attempt): void => {
      recorder.record(delivery, ended, lane);
    };
    const fail = (error: unknown): void => {
      recorder.fail(delivery, error, lane);
    };
    try {
      // The limit covers the attempt only: others run while outcomes are recorded, and share the commit.
      const ended = scheduler.run(() => attempt(delivery, lane));
      // Record a synchronous attempt in this tick, with its neighbours.
      if (ended instanceof Promise) ended.then(record, fail);
      else record(ended);
    } catch (error) {
      fail(error);
    }
  }

  function attempt(delivery: ClaimedDelivery, lane: LaneRun): Attempt | Promise<Attempt> {
    const startedAt = clock.monotonic();
    return after(admit(delivery, lane), ({ outcome, machine }) => ({
      outcome: breakers.observe(delivery, outcome, lane.probe),
      machine,
      durationMs: clock.monotonic() - startedAt,
    }));
  }

  // Admit

  function admit(delivery: ClaimedDelivery, lane: LaneRun): Classified | Promise<Classified> {
    const runnable = admission.admit(delivery, lane.probe);
    if ('status' in runnable) return { outcome: runnable };
    if (delivery.event.verdict !== 'ambiguous') return limited(delivery, runnable, lane);
    return resolveAmbiguity(delivery, runnable).then((resolved) =>
      'status' in resolved ? { outcome: resolved } : limited(resolved, runnable, lane),
    );
  }

  /** Takes a call from the bucket of its rate, if it has one. */
  function limited(
    delivery: ClaimedDelivery,
    runnable: Runnable,
    lane: LaneRun,
  ): Classified | Promise<Classified> {
    return after(rates.take(delivery, runnable), (outcome) =>
      outcome === undefined ? performed(delivery, runnable, lane) : { outcome },
    );
  }

  // Perform, classify

  function performed(
    delivery: ClaimedDelivery,
    runnable: Runnable,
    { folds }: LaneRun,
  ): Classified | Promise<Classified> {
    if (folds === 1) telemetry.emit('delivery.started', deliveryFields(delivery));
    const as = runnable.type === 'fold' ? 'unseen' : policiesOf(runnable).trace;
    const span = tracing?.()?.process(delivery, as);
    const startedAt = clock.monotonic();
    const performance =
      span === undefined
        ? perform(delivery, runnable)
        : span.run(() => perform({ ...delivery, traceparent: span.traceparent }, runnable));
    return after(performance, ({ end, machine }) => {
      inFlight.finished();
      const durationMs = clock.monotonic() - startedAt;
      return after(rates.closeIfLimited(delivery, end), (ended) => {
        const outcome = classify(ended, delivery.attempt, retryPolicy(runnable), random);
        span?.end(outcome.status, failureOf(ended, outcome), durationMs);
        return { outcome, machine };
      });
    });
  }

  // Continue the lane

  function mayContinue({ handler, inARow }: LaneRun): boolean {
    // Which one is the newest is for the next claim to say.
    return inARow < MAX_IN_A_ROW && !newestOnly.has(handler) && breakers.admits(handler);
  }

  function continueLane(lane: LaneRun, following: Following): void {
    if (following === null) {
      inFlight.remove();
      return;
    }
    if (following.event === null) {
      void release.unreadable([following]);
      return;
    }
    lane.inARow += 1;
    lane.probe = false;
    lane.folds = 1;
    scheduler.soon(() => {
      run(following, lane);
    });
  }

  return { claim, prefetched: prefetcher.waiting };
}

/** An attempt before its handler's breaker has observed it. */
type Classified = Pick<Attempt, 'outcome' | 'machine'>;

/** The next step of an attempt: at once after a synchronous one. */
function after<T, R>(value: T | Promise<T>, step: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(step) : step(value);
}
