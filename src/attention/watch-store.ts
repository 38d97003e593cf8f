/** Watches from memory whether the store can be written, and its disk: what tells of an outage needs no store. */
import { hostname } from 'node:os';
import type { Cancel, Clock } from '../kernel/time/clock.ts';
import { secondText } from '../kernel/text/age.ts';
import { SECOND_MS } from '../kernel/time/durations.ts';
import type { Monitoring } from '../store/monitoring.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { FindLowDisk } from './low-disk.ts';
import type { OperationSignals } from './operation-signals.ts';
import { fieldsOf, type OperatorProblem } from './problem.ts';
import { alertBody, type MemoryAlerts } from './send-alerts.ts';
import { createProblemTracker } from './track-problems.ts';

/** Milliseconds between two looks. */
const LOOK_EVERY_MS = SECOND_MS;

/** The shortest outage that needs an operator, in milliseconds: a failover or a restart may take less. */
const UNAVAILABLE_AFTER_MS = 10 * SECOND_MS;

/** Since when the store has been away: by the clock of the wall, and by the one that does not jump. */
interface Away {
  readonly at: number;
  readonly from: number;
}

export interface WatchStoreDeps {
  readonly store: Pick<Monitoring, 'recordMonitoring'> & { readonly storeId: string; healthy(): boolean };
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly signals: Pick<OperationSignals, 'takeRefused'>;
  readonly findLowDisk: FindLowDisk;
  /** Null when no alert is to be sent. */
  readonly alerts: MemoryAlerts | null;
}

/** Looks once a second, and reports the begin and the end of what it finds. */
export interface StoreWatch {
  start(): void;
  stop(): Promise<void>;
  /** What the last look has found. */
  problems(): readonly OperatorProblem[];
}

export function watchStore(deps: WatchStoreDeps): StoreWatch {
  const { store, clock, telemetry, signals, alerts } = deps;
  const tracker = createProblemTracker();
  let away: Away | null = null;
  let lowDisk: readonly OperatorProblem[] = [];
  let isReadingDisk = false;
  let found: readonly OperatorProblem[] = [];
  let cancel: Cancel = () => undefined;

  /** Refused webhooks count from the last look that found the store in order. */
  function lookAtStore(): readonly OperatorProblem[] {
    if (store.healthy()) {
      const refused = signals.takeRefused();
      if (away !== null) reportReturn(away, refused);
      away = null;
      return [];
    }
    away ??= { at: clock.now(), from: clock.monotonic() };
    return clock.monotonic() - away.from < UNAVAILABLE_AFTER_MS ? [] : [unavailable(away.at)];
  }

  function reportReturn({ at, from }: Away, refused: number): void {
    const awayMs = Math.round(clock.monotonic() - from);
    telemetry.emit('store.back', { awayMs, refused });
    const outage = { cause: 'store', beganAt: at, endedAt: at + awayMs, handler: null, refused } as const;
    // Should the store be away again, the log has told.
    store.recordMonitoring({ record: 'outage', ...outage }).catch(() => undefined);
  }

  /** No look waits for the disk: a file system that hangs makes the store fail, too. */
  async function lookAtDisk(): Promise<void> {
    if (isReadingDisk) return;
    isReadingDisk = true;
    lowDisk = await deps.findLowDisk(lowDisk.length > 0);
    isReadingDisk = false;
  }

  function look(): void {
    found = [...lookAtStore(), ...lowDisk];
    report();
    void lookAtDisk();
    cancel = clock.after(LOOK_EVERY_MS, look);
  }

  function report(): void {
    const now = clock.now();
    const changes = tracker.compare(found, now);
    tracker.confirm(changes);
    const about = { storeId: store.storeId, now };
    for (const change of ['begun', 'ended'] as const) {
      const type = change === 'begun' ? 'problem.began' : 'problem.ended';
      for (const tracked of changes[change]) {
        alerts?.send(alertBody(`portaria.${type}`, tracked, about));
        telemetry.emit(type, fieldsOf(tracked.problem));
      }
    }
  }

  return {
    start: look,
    async stop() {
      cancel();
      await alerts?.stop();
    },
    problems: () => found,
  };
}

function unavailable(since: number): OperatorProblem {
  return {
    problem: 'store-unavailable',
    of: null,
    since,
    summary: `the process on ${hostname()} has not been able to write the store since ${secondText(since)}: webhooks get 503`,
    remedy:
      'the log and `portaria doctor` have the reason, such as a full disk or a PostgreSQL that is down; senders repeat what got 503',
  };
}
