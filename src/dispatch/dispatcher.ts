import { setMaxListeners } from 'node:events';
import { createFoldMemory } from '../handle/fold/fold-memory.ts';
import type { HandlerContext } from '../handle/define/handler-context.ts';
import type { Registry } from '../handle/load/registry.ts';
import type { Cancel, Clock } from '../kernel/time/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Random } from '../kernel/random.ts';
import type { ClaimedDelivery, UnreadDelivery } from '../store/lane-queue.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { createBreakerBoard, type PausedHandler } from './breaker-board.ts';
import { claimDue } from './claim-due.ts';
import { createDeliveriesInHand } from './deliveries-in-hand.ts';
import type { DispatchParts, DispatchStore } from './dispatch-parts.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import { createRelease } from './release-deliveries.ts';
import { guardedTelemetry } from './guarded-telemetry.ts';
import { createWithRetry } from './with-retry.ts';
import { createLaunchPrefetched } from './launch-prefetched.ts';
import { createLoopTurns } from './loop-turns.ts';
import { createRecordSuccesses } from './record-successes.ts';
import { refusal } from './refusal.ts';
import { runLane } from './run-lane.ts';
import { createSettleEvent, type Confirm } from './settle-event.ts';
import { createSlots } from './slots.ts';
import { createTimeLimit } from './time-limit.ts';

export interface DispatcherOptions {
  readonly store: DispatchStore;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  /** The provider's API for handlers that look at it; none by default. */
  readonly client?: () => HandlerContext['client'];
  /** Finds out about ambiguous events; without it they are applied as they are. */
  readonly confirm?: Confirm;
  /** Deliveries that run at a time, whatever their handlers. */
  readonly concurrency: number;
  /** How soon work that another process enqueued is noticed, in milliseconds; 250 by default. */
  readonly pollMs?: number;
  /** Dispatches the deliveries of this replay only. */
  readonly replay?: string;
}

export interface DispatcherStatus {
  /** Lanes with a delivery that runs. */
  readonly running: number;
  readonly paused: readonly PausedHandler[];
}

export interface Dispatcher {
  /**
   * Makes pending what a crash left running, and begins. Rejects with the
   * store's error when that fails; then it has not begun.
   */
  start(): Promise<void>;
  /** Says that something was enqueued. Cheap, and as often as you like: claims never pile up. */
  wake(): void;
  /**
   * Starts nothing more, lets what runs finish for `graceMs` milliseconds,
   * then aborts its signals and hands it back. A second call ends the grace.
   * Resolves when nothing is held any more.
   */
  stop(graceMs: number): Promise<void>;
  /** Resolves when nothing runs, is due, or waits for a handler or its pause; or when stopped. */
  idle(): Promise<void>;
  status(): DispatcherStatus;
}

/** Takes deliveries from the store to their handlers: as many at a time as there are slots, each of another lane. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, clock, log, pollMs = 250 } = options;
  const telemetry = guardedTelemetry(options.telemetry, log);
  const board = createBreakerBoard({ ...options, telemetry });
  const withRetry = createWithRetry({ clock, telemetry });
  const slots = createSlots(options.concurrency);
  const inHand = createDeliveriesInHand({ concurrency: options.concurrency, clock, onRelease: wake });
  const closing = new AbortController();
  const shutdown = new AbortController();
  // Each delivery that waits for the store listens: many listeners are no leak.
  setMaxListeners(0, closing.signal, shutdown.signal);
  const ends = { closing: closing.signal, shutdown: shutdown.signal };
  const parts: DispatchParts = {
    ...options,
    client: options.client ?? null,
    telemetry,
    board,
    withRetry,
    settle: createSettleEvent({
      store,
      confirm: options.confirm ?? null,
      withRetry,
      telemetry,
      shutdown: shutdown.signal,
    }),
    turns: createLoopTurns(clock),
    inSlot: slots.inSlot,
    finished: () => {
      inHand.finished();
    },
    records: inHand,
    release: createRelease({ ...options, telemetry, withRetry, ...ends }),
    recordSuccess: createRecordSuccesses({ ...options, telemetry, withRetry, records: inHand, ...ends }),
    folds: createFoldMemory(),
    runWithin: createTimeLimit({ clock, shutdown: shutdown.signal }),
    ...ends,
  };
  const run = (delivery: ClaimedDelivery, probe = false): void => {
    runLane(delivery, probe, parts, inHand.release);
  };
  const ahead = createLaunchPrefetched(
    {
      turns: parts.turns,
      refusal: (handler) => refusal(handler, false, parts),
      release: parts.release,
      run,
    },
    inHand,
    slots,
  );

  let started = false;
  /** Calls of `wake`, and how many of them a look has answered. */
  let asked = 0;
  let answered = 0;
  let starting: Promise<void> | null = null;
  let looking: Promise<void> | null = null;
  let stopped: Promise<void> | null = null;
  let cancelTimer: Cancel = () => undefined;
  let idlers: (() => void)[] = [];

  function wake(): void {
    asked += 1;
    if (started && !closing.signal.aborted) looking ??= look();
  }

  /** Looks for due work until nobody has asked meanwhile; never two looks at a time. */
  async function look(): Promise<void> {
    while (answered !== asked && !closing.signal.aborted) {
      answered = asked;
      cancelTimer();
      // Whoever waits for idleness later needs a later look.
      const waiting = idlers;
      const nextInMs = await fillSlots();
      cancelTimer = clock.after(Math.min(nextInMs ?? pollMs, pollMs), wake);
      if (nextInMs === null && inHand.count() === 0 && answered === asked) resume(waiting);
    }
    looking = null;
  }

  async function fillSlots(): Promise<number | null> {
    try {
      const plan = {
        room: () => inHand.room(),
        launch,
        launchPrefetched: ahead.launch,
        release: releaseUnread,
      };
      return await claimDue(plan, parts);
    } catch (error) {
      if (!closing.signal.aborted) log.error({ reason: failureReason(error) }, 'Claiming deliveries failed');
      return Infinity;
    }
  }

  /** In a later turn: whoever has just been told that it is stored hears of it before a handler keeps the loop busy. */
  function launch(delivery: ClaimedDelivery, probe: boolean): void {
    inHand.hold();
    parts.turns.inLaterTurn(() => {
      run(delivery, probe);
    });
  }

  function releaseUnread(unread: readonly UnreadDelivery[]): void {
    inHand.hold(unread.length);
    void parts.release.unreadable(unread).then(() => {
      inHand.release(unread.length);
    });
  }

  function resume(waiting: readonly (() => void)[]): void {
    idlers = idlers.filter((idler) => !waiting.includes(idler));
    for (const idler of waiting) idler();
  }

  async function begin(): Promise<void> {
    const deliveries = await store.recover();
    if (deliveries > 0) telemetry.emit('dispatch.recovered', { deliveries });
    started = true;
    wake();
  }

  async function end(graceMs: number): Promise<void> {
    closing.abort();
    // Nothing begins any more: whoever waits for a slot only needs one to be handed back.
    slots.open();
    const cancelGrace = clock.after(graceMs, hurry);
    if (graceMs <= 0) hurry();
    await starting?.catch(() => undefined);
    await looking;
    await inHand.empty();
    cancelGrace();
    cancelTimer();
    resume(idlers);
  }

  function hurry(): void {
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
      if (stopped !== null) hurry();
      return (stopped ??= end(graceMs));
    },
    idle() {
      if (stopped !== null) return stopped;
      return new Promise((resolve) => {
        idlers = [...idlers, resolve];
        wake();
      });
    },
    status: () => ({ running: inHand.count() - slots.waiting() - ahead.waiting(), paused: board.paused() }),
  };
}
