/** Starts, polls and stops dispatching. The path of one delivery is in delivery-pipeline.ts. */
import { setMaxListeners } from 'node:events';
import type { HandlerContext } from '../handle/define/handler-context.ts';
import type { Registry } from '../handle/load/registry.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Random } from '../kernel/random.ts';
import type { Cancel, Clock } from '../kernel/time/clock.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { FindTracing } from '../telemetry/tracing.ts';
import { createAdmission } from './admit/admission.ts';
import { createBreakers, type OpenBreaker } from './admit/breakers.ts';
import { createRates } from './admit/rates.ts';
import { createScheduler } from './admit/scheduler.ts';
import { createPerform } from './attempt/perform.ts';
import type { RunningAttempts } from './attempt/running-attempts.ts';
import { createResolveAmbiguity, type Confirm } from './attempt/resolve-ambiguity.ts';
import { createTimeLimit } from './attempt/time-limit.ts';
import { createInFlight } from './claim/in-flight.ts';
import { createDeliveryPipeline } from './delivery-pipeline.ts';
import { createAnomalyReports } from './record/anomaly-reports.ts';
import { createRecorder } from './record/recorder.ts';
import { createUnrecorded } from './record/unrecorded.ts';
import { createReleaseDeliveries } from './record/release-deliveries.ts';
import { createRetriedStore, type DispatchStore } from './retried-store.ts';

export interface DispatcherOptions {
  readonly store: DispatchStore;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  /** Creates the provider's API for handlers; none by default. */
  readonly client?: (source: string, traceparent: string | null) => HandlerContext['client'];
  /** Resolves ambiguous events with the provider. Without it they are delivered unresolved. */
  readonly confirm?: Confirm;
  /** Deliveries that run at a time, of all handlers together. */
  readonly concurrency: number;
  /**
   * Milliseconds between polls for work that other processes enqueued, and for their pauses; 250 by default.
   * `onForeignChange` of the store causes a poll sooner.
   */
  readonly pollMs?: number;
  /** Notes what runs, for a watchdog. */
  readonly running?: RunningAttempts | undefined;
  readonly tracing?: FindTracing;
}

export interface DispatcherStatus {
  /** Lanes whose delivery runs, or whose outcome is being recorded. */
  readonly running: number;
  /** Deliveries that may run at a time. */
  readonly places: number;
  readonly openBreakers: readonly OpenBreaker[];
}

/** Takes deliveries from the store to their handlers, and records the outcomes. */
export interface Dispatcher {
  /**
   * Makes deliveries pending that a crash left running, then starts polling.
   * Rejects with the store's error if that fails; it may then be called again.
   */
  start(): Promise<void>;
  /** Polls at once, because something was enqueued. Cheap: calls during a poll cause one more. */
  wake(): void;
  /**
   * Stops claiming, lets running deliveries finish for `graceMs` milliseconds,
   * then aborts their signals and releases them. A second call ends the grace
   * period. Resolves when nothing is in flight.
   */
  stop(graceMs: number): Promise<void>;
  /**
   * Resolves when nothing is running, due, or waiting for a retry or an open breaker; or when stopped. What an
   * operator has paused is left pending.
   */
  idle(): Promise<void>;
  status(): DispatcherStatus;
}

/** Minimum milliseconds between a poll and the next one that another process triggers. */
const FOREIGN_MS = 50;

/** The lifecycle: start, poll, stop. {@link createDeliveryPipeline} has the path of a delivery. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { registry, clock, random, telemetry, log, concurrency, pollMs = 250 } = options;
  const { client = null, confirm = null, tracing } = options;
  const closing = new AbortController();
  const shutdown = new AbortController();
  const signals = { closing: closing.signal, shutdown: shutdown.signal };
  // Each delivery that waits for the store listens: many listeners are no leak.
  setMaxListeners(0, closing.signal, shutdown.signal);

  const store = createRetriedStore({ store: options.store, clock, telemetry, ...signals });
  const inFlight = createInFlight({ concurrency, clock, onCapacity: wake });
  const scheduler = createScheduler({ concurrency, clock });
  const breakers = createBreakers({ registry, clock, telemetry });
  const admission = createAdmission({ store, registry, breakers, clock, log, closing: closing.signal });
  const { runWithin, abortTakenOver } = createTimeLimit({ clock, shutdown: shutdown.signal });
  const anomalies = createAnomalyReports({ clock, telemetry });
  const reporting = { telemetry, random, shutdown: shutdown.signal };
  const unrecorded = createUnrecorded({ store, registry, clock, random, log, closing: closing.signal });
  const pipeline = createDeliveryPipeline({
    ...{ store, inFlight, scheduler, breakers, admission, telemetry, clock, random, tracing },
    resolveAmbiguity: createResolveAmbiguity({ store, confirm, admission, ...reporting }),
    rates: createRates({ store, registry, admission, telemetry, random }),
    perform: createPerform({
      store,
      runWithin,
      log,
      client,
      shutdown: shutdown.signal,
      running: options.running,
    }),
    createRecorder: (lanes) =>
      createRecorder({ store, registry, breakers, inFlight, anomalies, unrecorded, ...reporting }, lanes),
    release: createReleaseDeliveries({ store, inFlight, telemetry, log }),
    latest: registry.latest,
  });

  let started = false;
  /** Calls of `wake`. */
  let wakes = 0;
  /** How many of them a poll has handled. */
  let handledWakes = 0;
  let starting: Promise<void> | null = null;
  let polling: Promise<void> | null = null;
  let stopped: Promise<void> | null = null;
  let cancelTimer: Cancel = () => undefined;
  let stopListening: readonly Cancel[] = [];
  let stopAborting: Cancel = () => undefined;
  /** Whether another process may have enqueued something since the last poll began. */
  let foreign = false;
  let polledAt = -Infinity;
  /** When to poll next if no other process causes it. */
  let pollAt = Infinity;
  let idleListeners: (() => void)[] = [];

  function wake(): void {
    wakes += 1;
    if (started && !closing.signal.aborted) polling ??= tracing?.()?.outside(poll) ?? poll();
  }

  /** Polls because of another process. One that has just polled waits: under load it polls often enough anyway. */
  function wakeSoon(): void {
    foreign = true;
    if (polling !== null) return;
    if (clock.monotonic() - polledAt >= FOREIGN_MS) wake();
    else schedulePoll();
  }

  function schedulePoll(): void {
    cancelTimer();
    const at = foreign ? Math.min(pollAt, polledAt + FOREIGN_MS) : pollAt;
    cancelTimer = clock.after(at - clock.monotonic(), wake);
  }

  /** Claims until every wake is handled. At most one poll runs. */
  async function poll(): Promise<void> {
    while (handledWakes !== wakes && !closing.signal.aborted) {
      handledWakes = wakes;
      foreign = false;
      polledAt = clock.monotonic();
      cancelTimer();
      // A listener added from here on needs a later poll.
      const listeners = idleListeners;
      const nextInMs = await claim();
      pollAt = clock.monotonic() + Math.min(nextInMs ?? pollMs, pollMs);
      schedulePoll();
      if (nextInMs === null && inFlight.count() === 0 && handledWakes === wakes) notifyIdle(listeners);
    }
    polling = null;
  }

  async function claim(): Promise<number | null> {
    try {
      await admission.refreshPauses();
      return await pipeline.claim();
    } catch (error) {
      if (!closing.signal.aborted) log.error({ reason: failureReason(error) }, 'claiming deliveries failed');
      return Infinity;
    }
  }

  function notifyIdle(listeners: readonly (() => void)[]): void {
    idleListeners = idleListeners.filter((listener) => !listeners.includes(listener));
    for (const listener of listeners) listener();
  }

  function recovered(deliveries: number): void {
    telemetry.emit('dispatch.recovered', { deliveries });
  }

  function leaseLost(holder: number): void {
    telemetry.emit('lease.lost', { attempts: abortTakenOver(holder) });
  }

  async function begin(): Promise<void> {
    const deliveries = await options.store.recover();
    if (deliveries > 0) recovered(deliveries);
    started = true;
    stopListening = [options.store.onForeignChange(wakeSoon), options.store.onTakeOver(recovered)];
    stopAborting = options.store.onLeaseLost(leaseLost);
    wake();
  }

  async function end(graceMs: number): Promise<void> {
    closing.abort();
    // Nothing starts any more. Without the limit, waiting deliveries are admitted, refused and released.
    scheduler.lift();
    const cancelGrace = clock.after(graceMs, endGrace);
    if (graceMs <= 0) endGrace();
    await starting?.catch(() => undefined);
    // A start that was in progress has begun to listen.
    for (const stop of stopListening) stop();
    await polling;
    await inFlight.empty();
    // Others may take over attempts until the last one has ended.
    stopAborting();
    cancelGrace();
    cancelTimer();
    anomalies.flush();
    notifyIdle(idleListeners);
  }

  function endGrace(): void {
    shutdown.abort();
  }

  return {
    start: () =>
      (starting ??= begin().catch((error: unknown) => {
        starting = null;
        throw error;
      })),
    wake,
    stop(graceMs) {
      if (stopped !== null) endGrace();
      return (stopped ??= end(graceMs));
    },
    idle() {
      if (stopped !== null) return stopped;
      return new Promise((resolve) => {
        idleListeners = [...idleListeners, resolve];
        wake();
      });
    },
    status: () => ({
      running: inFlight.count() - scheduler.waiting() - pipeline.prefetched(),
      places: concurrency,
      openBreakers: breakers.open(),
    }),
  };
}
