/** The store as dispatching uses it: each call is repeated until it succeeds, by the time of each try. */
import type { FoldReads } from '../handle/fold/fold-delivery.ts';
import { PortariaError, type ErrorCode } from '../kernel/errors.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { pause } from '../kernel/time/pause.ts';
import type { Ambiguities } from '../store/inbox.ts';
import type { ForeignChanges } from '../store/foreign-changes.ts';
import type {
  Claim,
  ClaimedDelivery,
  ClaimRequest,
  DeliveryEnd,
  DeliveryKey,
  FollowingDelivery,
  LaneQueue,
  UnreadDelivery,
} from '../store/lane-queue.ts';
import type { MachineStates } from '../store/machine-states.ts';
import type { Pauses } from '../store/pauses.ts';
import type { Rates, RateTaking } from '../store/rates.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** Milliseconds before the second call. Each further wait is twice as long. */
const FIRST_WAIT_MS = 100;

/** Milliseconds of the longest wait between calls. */
const MAX_WAIT_MS = 10_000;

/** Calls in all, for an error that waiting may not resolve. */
const MAX_CALLS = 5;

/** Errors that pass once there is room or a lock is free: retried without limit. */
const TRANSIENT: ReadonlySet<ErrorCode> = new Set(['store-full', 'store-busy', 'store-read-only']);

/** Errors that another call would only repeat: the caller decides. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'machine-conflict',
  'lane-locked',
  'not-found',
  'invalid-argument',
  'stopping',
]);

/** What dispatching needs of a store. */
export type DispatchStore = Omit<LaneQueue, 'retryDeliveries' | 'discardDeliveries'> &
  Ambiguities &
  FoldReads &
  Pick<MachineStates, 'eventBefore'> &
  Pick<Pauses, 'pauses' | 'pauseChanges' | 'acknowledgePauses'> &
  Rates &
  ForeignChanges;

/** The lane's next delivery, claimed with the outcome; null when none is due or the lane may not continue. */
export type Following = ClaimedDelivery | UnreadDelivery | null;

/**
 * Calls repeat with exponential backoff: a full disk or a locked file must
 * neither lose an outcome nor cost an attempt. They reject with the store's
 * error when another try is useless, or when the process has no time for one:
 * claims and pauses once it closes, all others at shutdown. `mayStart` and
 * `abandon` need no retry, and the next poll repeats `acknowledgePauses`.
 */
export interface RetriedStore
  extends
    FoldReads,
    Pick<LaneQueue, 'mayStart' | 'abandon'>,
    Pick<
      DispatchStore,
      'resolveAmbiguity' | 'eventBefore' | 'pauses' | 'pauseChanges' | 'acknowledgePauses'
    > {
  /** As `LaneQueue.claim`. */
  claim(request: Omit<ClaimRequest, 'now'>): Promise<Claim>;
  /** As `LaneQueue.complete`. With `next`, it claims the lane's following delivery unless the process closes. */
  complete(delivery: DeliveryKey, end: DeliveryEnd, options: { readonly next: boolean }): Promise<Following>;
  /** As `LaneQueue.succeed`, with `next` as for `complete`. */
  succeed(
    deliveries: readonly DeliveryKey[],
    options: { readonly next: boolean },
  ): Promise<readonly FollowingDelivery[]>;
  /** As `LaneQueue.reschedule`. The wait begins with the call, however often it is repeated. */
  reschedule(
    delivery: DeliveryKey,
    failure: { readonly waitMs: number; readonly reason: string; readonly durationMs: number },
  ): Promise<void>;
  /**
   * As `LaneQueue.release`. The deliveries are due `waitMs` milliseconds after they are released, or when their rate
   * says.
   */
  release(
    deliveries: readonly DeliveryKey[],
    options: { readonly waitMs: number } | { readonly dueAt: number },
  ): Promise<void>;
  /** As `Rates.takeRates`. */
  takeRates(takings: readonly RateTaking[]): Promise<readonly (number | null)[]>;
  /** As `Rates.closeRate`, for `waitMs` milliseconds from the call on. */
  closeRate(taking: Pick<RateTaking, 'bucket' | 'key'>, options: { readonly waitMs: number }): Promise<void>;
}

export function createRetriedStore(deps: {
  readonly store: DispatchStore;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** Aborts when no delivery may start any more. */
  readonly closing: AbortSignal;
  /** Aborts when running deliveries must be released. */
  readonly shutdown: AbortSignal;
}): RetriedStore {
  const { store, clock, telemetry, closing, shutdown } = deps;

  async function retry<T>(action: () => Promise<T>, until: AbortSignal, first: unknown): Promise<T> {
    let error = first;
    for (let calls = 1, waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
      const code = PortariaError.is(error) ? error.code : 'store-failed';
      if (FINAL.has(code)) throw error;
      telemetry.emit('dispatch.failed', { reason: failureReason(error) });
      if (until.aborted || (!TRANSIENT.has(code) && calls >= MAX_CALLS)) throw error;
      calls += 1;
      // An abort ends the wait; one last call follows.
      await pause(clock, waitMs, until);
      try {
        return await action();
      } catch (failure) {
        error = failure;
      }
    }
  }

  // Nearly every call succeeds: the retrying function is entered only after a failure.
  const untilClosing = <T>(action: () => Promise<T>): Promise<T> =>
    call(action).catch((error: unknown) => retry(action, closing, error));
  const untilShutdown = <T>(action: () => Promise<T>): Promise<T> =>
    call(action).catch((error: unknown) => retry(action, shutdown, error));

  /** The options of a completion, for one try: the process may have begun to close since the last one. */
  const completion = (next: boolean) => ({
    now: clock.now(),
    next: next && !closing.aborted,
  });

  return {
    claim: (request) => untilClosing(() => store.claim({ now: clock.now(), ...request })),
    pauses: () => untilClosing(() => store.pauses()),
    pauseChanges: () => untilClosing(() => store.pauseChanges()),
    acknowledgePauses: (ids, now) => store.acknowledgePauses(ids, now),
    mayStart: (delivery) => store.mayStart(delivery),
    abandon(deliveries) {
      store.abandon(deliveries);
    },

    complete: (delivery, end, { next }) =>
      untilShutdown(() => store.complete(delivery, end, completion(next))),
    succeed: (deliveries, { next }) => untilShutdown(() => store.succeed(deliveries, completion(next))),
    reschedule(delivery, { waitMs, ...failure }) {
      const now = clock.now();
      return untilShutdown(() => store.reschedule(delivery, { now, dueAt: now + waitMs, ...failure }));
    },
    release: (deliveries, options) =>
      untilShutdown(() =>
        store.release(
          deliveries,
          'dueAt' in options ? { ...options, byRate: true } : { dueAt: clock.now() + options.waitMs },
        ),
      ),
    takeRates: (takings) => untilShutdown(() => store.takeRates(takings)),
    closeRate(taking, { waitMs }) {
      const now = clock.now();
      return untilShutdown(() => store.closeRate(taking, { now, until: Math.ceil(now + waitMs) }));
    },

    resolveAmbiguity: (...found) => untilShutdown(() => store.resolveAmbiguity(...found)),
    eventBefore: (...event) => untilShutdown(() => store.eventBefore(...event)),
    machineState: (...key) => untilShutdown(() => store.machineState(...key)),
    machineBase: (...key) => untilShutdown(() => store.machineBase(...key)),
    anomalies: (...key) => untilShutdown(() => store.anomalies(...key)),
    versionOrder: (request) => untilShutdown(() => store.versionOrder(request)),
    hasDiedOf: (...key) => untilShutdown(() => store.hasDiedOf(...key)),
    storedEvents: (ids) =>
      untilShutdown(() => {
        // Only shutdown interrupts the fold of a long history.
        if (shutdown.aborted) throw new PortariaError('stopping', 'stopped while reading the history');
        return store.storedEvents(ids);
      }),
  };
}

/** A store that throws is a store that rejects. */
function call<T>(action: () => Promise<T>): Promise<T> {
  try {
    return action();
  } catch (error) {
    return Promise.reject(error);
  }
}
