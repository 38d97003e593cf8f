/** The way of a delivery in this process, from its claim to its recorded outcome, and of its lane after it. */
import type { Registry, Runnable } from '../handle/load/registry.ts';
import { PortariaError } from '../kernel/errors.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Random } from '../kernel/random.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { ClaimedDelivery, LaneQueue, MachineCommit } from '../store/lane-queue.ts';
import type { DeliveryFields, Telemetry } from '../telemetry/telemetry.ts';
import type { AnomalyReports } from './anomaly-reports.ts';
import type { Breakers } from './breakers.ts';
import type { ProbeChoice } from './circuit-breaker.ts';
import {
  classify,
  classifyCrashes,
  classifyFailure,
  released,
  retryPolicy,
  wantsStale,
  type Outcome,
} from './classify.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import { hasCapacity, type InFlight } from './in-flight.ts';
import type { Perform, Performance } from './perform.ts';
import { PAUSED_BY_OPERATOR, type OperatorPauses } from './operator-pauses.ts';
import { createPrefetcher } from './prefetcher.ts';
import { createRecordOutcome, deliveryFields, type Attempt } from './record-outcome.ts';
import type { ReleaseDeliveries } from './release-deliveries.ts';
import type { ResolveAmbiguity } from './resolve-ambiguity.ts';
import { createSuccessBatch, type Following } from './success-batch.ts';
import type { TickBudget } from './tick-budget.ts';
import type { WithRetry } from './with-retry.ts';

/** Deliveries of a lane in a row, before it queues behind other lanes. */
const MAX_IN_A_ROW = 25;

export interface DeliveryPipeline {
  /**
   * Claims what is due, up to the capacity, and starts it. Claims one delivery
   * of each handler whose pause is over, as its probe.
   *
   * @returns milliseconds until more can be claimed; null when nothing is
   *   pending; Infinity when only free capacity or another process can help
   * @throws the store's error, as `withRetry` does
   */
  claim(): Promise<number | null>;
  /** Deliveries that are prefetched and have not started. */
  prefetched(): number;
}

export interface PipelineDeps {
  readonly store: Pick<LaneQueue, 'claim' | 'mayStart' | 'complete' | 'succeed' | 'reschedule' | 'release'>;
  readonly registry: Registry;
  readonly breakers: Breakers;
  readonly pauses: OperatorPauses;
  /** Counts claimed lanes. */
  readonly inFlight: InFlight;
  /** Bounds running handlers. */
  readonly limit: ConcurrencyLimit;
  readonly ticks: TickBudget;
  readonly perform: Perform;
  readonly resolveAmbiguity: ResolveAmbiguity;
  readonly release: ReleaseDeliveries;
  readonly withRetry: WithRetry;
  readonly telemetry: Telemetry;
  readonly anomalies: AnomalyReports;
  readonly log: Pick<Logger, 'error'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Dispatches deliveries of this replay only; `undefined`: all. */
  readonly replay: string | undefined;
  /** Aborts when no delivery may start any more. */
  readonly closing: AbortSignal;
  /** Aborts when running deliveries must be released. */
  readonly shutdown: AbortSignal;
}

/** The run of a lane in this process. It holds no delivery: thousands wait for a commit. */
interface LaneRun {
  readonly handler: string;
  /** Whether the current delivery probes a handler. */
  probe: boolean;
  inARow: number;
}

/**
 * The way of a delivery; `record` is in record-outcome.ts and success-batch.ts:
 *
 *     claim -> admit -> perform -> classify -> record -> continue the lane
 */
export function createDeliveryPipeline(deps: PipelineDeps): DeliveryPipeline {
  const { store, registry, breakers, pauses, inFlight, limit, ticks, perform, resolveAmbiguity } = deps;
  const { release, withRetry, telemetry, anomalies, log, clock, random, replay, closing, shutdown } = deps;
  const replayFilter = replay === undefined ? {} : { replay };

  const prefetcher = createPrefetcher({
    ticks,
    limit,
    inFlight,
    release,
    reasonNotToStart: (handler) =>
      pauses.holdsHandler(handler) ? PAUSED_BY_OPERATOR : reasonNotToStart(handler, false),
    start: (delivery) => {
      start(delivery, false);
    },
  });

  const recordSuccess = createSuccessBatch<LaneRun>({
    ...{ store, withRetry, clock, replay, closing, shutdown, mayContinue },
    recorded: ({ fields, durationMs, lane }, following) => {
      inFlight.recorded();
      telemetry.emit('delivery.succeeded', { ...fields, durationMs });
      continueLane(lane, following);
    },
    failed: ({ fields, lane }, error) => {
      inFlight.recorded();
      endUnrecorded(fields, lane, error);
    },
  });

  const recordOutcome = createRecordOutcome<LaneRun>({
    ...{ store, registry, breakers, inFlight, withRetry, anomalies, telemetry },
    ...{ clock, random, replay, shutdown, mayContinue },
    foldAgain: (delivery, { probe }) => limit.run(() => attempt(delivery, { probe, foldsAgain: true })),
  });

  // Claim

  async function claim(): Promise<number | null> {
    const waits: (number | null)[] = [];
    for (const { handler, ...choice } of breakers.toProbe()) waits.push(await claimOf([handler], choice));
    waits.push(await claimOf(breakers.admitted(), null));
    // Read last: a breaker may have opened during the claims.
    waits.push(breakers.nextProbeInMs());
    const known = waits.filter((wait) => wait !== null);
    return known.length === 0 ? null : Math.min(...known);
  }

  /** @param choice which delivery is claimed as the probe of a handler; null: all that are due */
  async function claimOf(handlers: readonly string[], choice: ProbeChoice | null): Promise<number | null> {
    if (handlers.length === 0) return null;
    const capacity = inFlight.capacity();
    if (!hasCapacity(capacity)) return Infinity;
    const probe = choice !== null;
    const limits = probe
      ? { limit: 1, untriedFirst: choice.from, exceptSources: choice.exceptSources }
      : { limit: capacity.run, prefetch: capacity.prefetch };
    const startedAt = clock.monotonic();
    const { deliveries, unread, prefetched, nextDueAt } = await withRetry(
      () => store.claim({ now: clock.now(), handlers, ...limits, ...replayFilter }),
      closing,
    );
    inFlight.claimTook(clock.monotonic() - startedAt);
    for (const delivery of deliveries) {
      if (probe) breakers.startProbe(delivery.handler);
      inFlight.add();
      // In a later tick, so that acknowledgements go out before handlers run.
      ticks.defer(() => {
        start(delivery, probe);
      });
    }
    prefetcher.add(prefetched);
    if (unread.length > 0) {
      inFlight.add(unread.length);
      void release.unreadable(unread).then(() => {
        inFlight.remove(unread.length);
      });
    }
    if (nextDueAt === null) return null;
    const waitMs = nextDueAt - clock.now();
    // Another process has claimed it: asking again at once would spin.
    return waitMs > 0 ? waitMs : Infinity;
  }

  function start(delivery: ClaimedDelivery, probe: boolean): void {
    run(delivery, { handler: delivery.handler, probe, inARow: 1 });
  }

  /** Takes one delivery to its recorded outcome. Never throws. */
  function run(delivery: ClaimedDelivery, lane: LaneRun): void {
    const fail = (error: unknown): void => {
      endUnrecorded(deliveryFields(delivery), lane, error);
    };
    try {
      // The limit covers the attempt only: others run while outcomes are recorded, and share the commit.
      const ended = limit.run(() => attempt(delivery, { probe: lane.probe, foldsAgain: false }));
      // Record a synchronous attempt in this tick, with its neighbours.
      if (ended instanceof Promise) ended.then((end) => record(delivery, end, lane)).catch(fail);
      else record(delivery, ended, lane)?.catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  /** @param options.foldsAgain whether it folds once more in an attempt that was already reported as started */
  function attempt(
    delivery: ClaimedDelivery,
    options: { readonly probe: boolean; readonly foldsAgain: boolean },
  ): Attempt | Promise<Attempt> {
    const { probe, foldsAgain } = options;
    const startedAt = clock.monotonic();
    const end = (outcome: Outcome, machine?: MachineCommit): Attempt => ({
      outcome: breakers.observe(delivery, outcome, probe),
      machine,
      durationMs: clock.monotonic() - startedAt,
    });

    // Admit

    const runnable = registry.runnable(delivery.handler);
    // Claims name registered handlers only, so it stays pending until one is registered.
    if (runnable === undefined) return end(released('no handler of this name is registered'));
    const policy = retryPolicy(runnable);
    const rejected = reasonToHold(delivery) ?? reasonNotToStart(delivery.handler, probe);
    if (rejected !== undefined) return end(released(rejected));
    const crashed = classifyCrashes(delivery.attempt, policy);
    if (crashed !== undefined) return end(crashed);

    // Perform, classify

    const classifyEnd = ({ end: runEnd, machine }: Performance): Attempt => {
      inFlight.finished();
      return end(classify(runEnd, delivery.attempt, policy, random), machine);
    };
    const begin = (resolved: ClaimedDelivery): Attempt | Promise<Attempt> => {
      if (!foldsAgain) telemetry.emit('delivery.started', deliveryFields(delivery));
      const performance = perform(resolved, runnable);
      return performance instanceof Promise ? performance.then(classifyEnd) : classifyEnd(performance);
    };
    if (delivery.event.verdict !== 'ambiguous') return begin(delivery);
    return resolve(delivery, runnable).then((resolved) => {
      if (!('event' in resolved)) return end(resolved);
      // The provider took its time, and an operator may have paused the lane meanwhile.
      const held = reasonToHold(delivery);
      return held === undefined ? begin(resolved) : end(released(held));
    });
  }

  /** Why no delivery of this handler starts now; `undefined` when one may. Things change after the claim. */
  function reasonNotToStart(handler: string, probe: boolean): string | undefined {
    if (closing.aborted) return 'stopping';
    return probe || breakers.admits(handler) ? undefined : 'the breaker of the handler is open';
  }

  /** As `reasonNotToStart`, of one delivery: asked last, just before its handler begins. */
  function reasonToHold(delivery: ClaimedDelivery): string | undefined {
    if (!store.mayStart(delivery)) return 'another process may have taken it over';
    return pauses.holds(delivery) ? PAUSED_BY_OPERATOR : undefined;
  }

  /** The delivery of an ambiguous event with its resolution, or the outcome when it must not run. Never throws. */
  async function resolve(delivery: ClaimedDelivery, runnable: Runnable): Promise<ClaimedDelivery | Outcome> {
    try {
      const event = await resolveAmbiguity(delivery);
      if (event.flags.includes('superseded') && !wantsStale(runnable)) {
        const reason = "superseded: the provider's record has the content that came before";
        return { status: 'skipped', health: 'unknown', reason };
      }
      return event === delivery.event ? delivery : { ...delivery, event };
    } catch (error) {
      // A failing store or a shutdown must not cost an attempt.
      if (shutdown.aborted) return released('stopping');
      if (PortariaError.is(error) && error.code.startsWith('store-')) return released(error.message);
      return classifyFailure(error, delivery.attempt, retryPolicy(runnable), random);
    }
  }

  // Record

  /** Returns a promise when the outcome is recorded by itself, not in a batch. */
  function record(delivery: ClaimedDelivery, ended: Attempt, lane: LaneRun): Promise<void> | undefined {
    if (ended.outcome.status !== 'succeeded' || ended.machine !== undefined)
      return recordOutcome(delivery, ended, lane).then((following) => {
        continueLane(lane, following);
      });
    const { id, lane: laneId, holder, handler, replay: ofReplay } = delivery;
    inFlight.recording();
    recordSuccess({
      fields: deliveryFields(delivery),
      key: { id, lane: laneId, holder, handler, replay: ofReplay },
      durationMs: ended.durationMs,
      lane,
    });
    return undefined;
  }

  /** The store counts it as running until the next start, or until another process takes it over. */
  function endUnrecorded(fields: DeliveryFields, lane: LaneRun, error: unknown): void {
    const { delivery, event, handler } = fields;
    const about = { delivery, event, handler, reason: failureReason(error) };
    log.error(about, 'the outcome was not recorded, so the delivery will run again');
    continueLane(lane, null);
  }

  // Continue the lane

  function mayContinue({ handler, inARow }: LaneRun): boolean {
    return inARow < MAX_IN_A_ROW && !closing.aborted && breakers.admits(handler);
  }

  function continueLane(lane: LaneRun, following: Following): void {
    if (following === null) {
      inFlight.remove();
      return;
    }
    if (following.event === null) {
      void release.unreadable([following]).then(() => {
        inFlight.remove();
      });
      return;
    }
    lane.inARow += 1;
    lane.probe = false;
    if (ticks.isSpent())
      ticks.defer(() => {
        run(following, lane);
      });
    else run(following, lane);
  }

  return { claim, prefetched: prefetcher.waiting };
}
