/** Watches a serving process every minute, and reports when problems begin and end. */
import { failureReason } from '../kernel/failure-reason.ts';
import { scrub } from '../kernel/text/scrub.ts';
import type { Cancel, Clock } from '../kernel/time/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../kernel/time/durations.ts';
import type { Monitoring, OpenBreaker, RecordedProblem } from '../store/monitoring.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Observation, Observe } from './observe.ts';
import type { OperationSignals } from './operation-signals.ts';
import { fieldsOf, problemKey, type OperatorProblem } from './problem.ts';
import { alertBody, type AlertSender } from './send-alerts.ts';
import type { StoreWatch } from './watch-store.ts';
import { createProblemTracker, type ProblemTracker, type TrackedProblem } from './track-problems.ts';
import { pause } from '../kernel/time/pause.ts';

/** Milliseconds between two checks. */
const CHECK_EVERY_MS = MINUTE_MS;

/** Milliseconds until the first check: the rest of the start goes first. */
const FIRST_CHECK_MS = 5 * SECOND_MS;

export interface WatchOperationDeps {
  readonly store: Monitoring & { readonly storeId: string };
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly observe: Observe;
  readonly signals: OperationSignals;
  /** The open breakers of this process. */
  readonly openBreakers: () => readonly {
    readonly handler: string;
    readonly untilMs: number;
    readonly reason: string;
  }[];
  /** Null when no alert is to be sent. */
  readonly alerts: AlertSender | null;
  /** Starts and stops with this watch. What it finds, it reports by itself; the last check shows it, too. */
  readonly storeWatch: StoreWatch;
  /** Whether this process reports problems; others that share the store only check. */
  readonly leads: () => boolean;
}

/** Checks for problems once a minute, and reports when one begins and ends. */
export interface OperationWatch {
  start(): void;
  /** Records what is left to record. */
  stop(): Promise<void>;
  /** What the last check has found, nothing before the first, and what the store's watch finds now. */
  latest(): Observation;
}

/**
 * Watches a process that serves: counts arrivals, records breakers and rejections, and reports problems. What
 * has begun and what is to be sent about it is one commit, so a restart neither loses nor doubles a message.
 */
export function watchOperation(deps: WatchOperationDeps): OperationWatch {
  const { store, clock, telemetry, observe, signals, alerts, leads, storeWatch } = deps;
  const stopping = new AbortController();
  let latest: Observation = { problems: [], quiet: [] };
  let tracker: ProblemTracker | null = null;
  let cancel: Cancel = () => undefined;
  let checking: Promise<void> = Promise.resolve();
  let recordedBreakers: string | null = null;

  async function check(): Promise<void> {
    try {
      await countArrivals(store, clock, stopping.signal);
      await recordRejections();
      await recordBreakers(deps.openBreakers());
      // What another process has reported meanwhile is read when this one leads again.
      if (!leads()) tracker = null;
      else tracker ??= createProblemTracker((await store.monitoring()).problems.map(trackedProblem));
      const observation = await observe(stopping.signal);
      if (stopping.signal.aborted) return;
      if (tracker !== null) await report(observation.problems, tracker);
      latest = observation;
    } catch (error) {
      // The store failed, or is closing: its health shows that. The next check tries again.
      if (!stopping.signal.aborted) telemetry.emit('watch.failed', { reason: failureReason(error) });
    }
    if (leads()) alerts?.wake();
  }

  async function report(problems: readonly OperatorProblem[], to: ProblemTracker): Promise<void> {
    const now = clock.now();
    const changes = to.compare(problems, now);
    const { begun, ended } = changes;
    if (begun.length === 0 && ended.length === 0) return;
    const about = { storeId: store.storeId, now };
    await store.recordMonitoring({
      record: 'problems',
      begun: begun.map(recordedProblem),
      ended: ended.map(({ problem }) => problemKey(problem)),
      alerts:
        alerts === null
          ? []
          : [
              ...begun.map((tracked) => alertBody('portaria.problem.began', tracked, about)),
              ...ended.map((tracked) => alertBody('portaria.problem.ended', tracked, about)),
            ],
      now,
    });
    to.confirm(changes);
    for (const { problem } of begun) telemetry.emit('problem.began', fieldsOf(problem));
    for (const { problem } of ended) telemetry.emit('problem.ended', fieldsOf(problem));
  }

  async function recordRejections(): Promise<void> {
    const rejections = signals.takeRejections();
    if (rejections.length > 0) await store.recordMonitoring({ record: 'rejections', rejections });
    const observed = signals.takeObserved();
    if (observed.length > 0) await store.recordMonitoring({ record: 'observed', observed });
  }

  /** Writes only what changed: a pause that doubles moves `until`. */
  async function recordBreakers(found: ReturnType<WatchOperationDeps['openBreakers']>): Promise<void> {
    const open: readonly Omit<OpenBreaker, 'since'>[] = found.map(({ handler, untilMs, reason }) => ({
      handler,
      until: untilMs,
      reason: scrub(reason),
    }));
    const text = JSON.stringify(open);
    if (text === recordedBreakers) return;
    await store.recordMonitoring({ record: 'breakers', open, now: clock.now() });
    recordedBreakers = text;
  }

  function lookAfter(ms: number): void {
    cancel = clock.after(ms, () => {
      checking = check().finally(() => {
        if (!stopping.signal.aborted) lookAfter(CHECK_EVERY_MS);
      });
    });
  }

  return {
    start() {
      storeWatch.start();
      // Breakers are closed when a process starts, whatever the last one recorded.
      void recordBreakers([]).catch(() => undefined);
      signals.onBreakerChange(() => {
        // The dispatcher reports a change before it is visible.
        clock.after(0, () => {
          if (!stopping.signal.aborted) void recordBreakers(deps.openBreakers()).catch(() => undefined);
        });
      });
      lookAfter(FIRST_CHECK_MS);
    },
    async stop() {
      stopping.abort();
      cancel();
      await Promise.all([checking, alerts?.stop(), storeWatch.stop()]);
      await recordRejections().catch(() => undefined);
      await recordBreakers([]).catch(() => undefined);
    },
    latest: () => ({ ...latest, problems: [...storeWatch.problems(), ...latest.problems] }),
  };
}

function recordedProblem({ problem, beganAt }: TrackedProblem): RecordedProblem {
  return { key: problemKey(problem), beganAt, report: JSON.stringify(problem) };
}

function trackedProblem({ beganAt, report }: RecordedProblem): TrackedProblem {
  return { beganAt, problem: JSON.parse(report) as OperatorProblem };
}

/** Events that one read counts: tens of milliseconds in the reading thread. */
const EVENTS_PER_READ = 20_000;

/** Milliseconds between two reads, so that other reads have their turn: an old store has millions of events. */
const BETWEEN_READS_MS = 20;

/** Counts the events that arrived since the last call, until none is left or the signal aborts. */
async function countArrivals(
  store: Pick<Monitoring, 'uncountedArrivals' | 'recordMonitoring'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const run = await store.uncountedArrivals(EVENTS_PER_READ);
    if (run.arrivals.length > 0) await store.recordMonitoring({ record: 'arrivals', ...run });
    if (!run.more) return;
    await pause(clock, BETWEEN_READS_MS, signal);
  }
}
