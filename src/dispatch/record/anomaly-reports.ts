/** Reports anomalies of machines once a subject has settled. */
import { subjectName } from '../../event/subject.ts';
import type { Cancel, Clock } from '../../kernel/time/clock.ts';
import { MINUTE_MS } from '../../kernel/time/durations.ts';
import type { ClaimedDelivery, MachineCommit } from '../../store/lane-queue.ts';
import type { Telemetry, TelemetryEvents } from '../../telemetry/telemetry.ts';

/**
 * Milliseconds from the last event of a subject to the report of its anomalies.
 * Events often arrive in another order than they happened; once those between
 * have arrived, a refold explains most of what looked impossible.
 */
const SETTLES_AFTER_MS = MINUTE_MS;

/** Subjects whose anomalies wait. Beyond them the oldest are reported at once. */
const MAX_WAITING_SUBJECTS = 10_000;

type Report = TelemetryEvents['machine.anomaly'];

/** Reports the anomalies that remain once the events of a subject have settled. The store has all of them at once. */
export interface AnomalyReports {
  /** Called when the commit of a machine is stored with its delivery. */
  committed(delivery: Pick<ClaimedDelivery, 'event' | 'handler'>, commit: MachineCommit): void;
  /** Reports everything that waits: the process stops. */
  flush(): void;
}

interface Waiting {
  reports: readonly Report[];
  cancel: Cancel;
}

export function createAnomalyReports({
  clock,
  telemetry,
}: {
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}): AnomalyReports {
  /** By machine, source and subject; the longest unchanged first. */
  const waiting = new Map<string, Waiting>();

  function report(key: string): void {
    const found = waiting.get(key);
    waiting.delete(key);
    found?.cancel();
    for (const one of found?.reports ?? []) telemetry.emit('machine.anomaly', one);
  }

  function wait(key: string, reports: readonly Report[]): void {
    waiting.get(key)?.cancel();
    waiting.delete(key);
    if (reports.length === 0) return;
    const cancel = clock.after(SETTLES_AFTER_MS, () => {
      report(key);
    });
    waiting.set(key, { reports, cancel });
    if (waiting.size <= MAX_WAITING_SUBJECTS) return;
    for (const oldest of waiting.keys()) {
      report(oldest);
      return;
    }
  }

  return {
    committed({ event, handler: machine }, { anomalies, refolded }) {
      if (anomalies.length === 0 && waiting.size === 0) return;
      const subject = subjectName(event.subject);
      const key = `${machine} ${event.source} ${subject}`;
      const known = waiting.get(key)?.reports ?? [];
      if (anomalies.length === 0 && known.length === 0) return;
      // A refold lists all anomalies of the subject: only those of this event are new.
      const added = refolded ? anomalies.filter(({ eventId }) => eventId === event.id) : anomalies;
      const remaining = refolded
        ? known.filter((one) =>
            anomalies.some(({ eventId, message }) => one.event === eventId && one.message === message),
          )
        : known;
      const isKnown = (eventId: string, message: string) =>
        remaining.some((one) => one.event === eventId && one.message === message);
      wait(key, [
        ...remaining,
        ...added
          .filter(({ eventId, message }) => !isKnown(eventId, message))
          .map(({ eventId, message }) => ({ machine, subject, event: eventId, message })),
      ]);
    },
    flush() {
      for (const key of waiting.keys()) report(key);
    },
  };
}
