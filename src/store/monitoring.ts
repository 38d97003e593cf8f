/** What a store records to find problems: arrivals, breakers, rejections, problems, alerts. */
import { MINUTE_MS } from '../kernel/time/durations.ts';
import type { Activity, ActivityRecord } from './activity.ts';
import type { RateStates } from './rates.ts';

/** Events of one kind from one source. Times are milliseconds since 1970. */
export interface ReceivedKind {
  readonly source: string;
  /** '' for kinds outside the contract beyond the first 1,000 of them, which are counted together. */
  readonly kind: string;
  readonly recognized: boolean;
  readonly events: number;
  readonly firstReceivedAt: number;
  readonly lastReceivedAt: number;
}

/** Events of one kind from one source in one hour. */
export interface HourlyCount {
  readonly source: string;
  readonly kind: string;
  /** Hours since 1970. */
  readonly hour: number;
  readonly events: number;
}

/** The counts of a run of events that no process has counted yet. */
export interface UncountedArrivals {
  /** The numbers of the last counted event and of the last event of this run. */
  readonly after: number;
  readonly through: number;
  /** Whether more events follow that can be counted now. */
  readonly more: boolean;
  readonly arrivals: readonly (HourlyCount & Omit<ReceivedKind, 'source' | 'kind'>)[];
}

/** A handler whose breaker is open. */
export interface OpenBreaker {
  readonly handler: string;
  /** Milliseconds since 1970 when it opened; probes that fail do not change it. */
  readonly since: number;
  /** Milliseconds since 1970 when the next probe may start. */
  readonly until: number;
  /** The failure that opened it, without personal data: an erasure does not read it. */
  readonly reason: string;
}

/** Webhooks of one source that were rejected in one hour: they failed verification, or went to no address. */
export interface RejectionCount {
  readonly source: string;
  readonly hour: number;
  readonly rejections: number;
  /** Why most of the latest failed: a code, such as `mismatch`. Null when an earlier version counted them. */
  readonly lastReason: string | null;
  /** Seconds between the sender's clock and this one; null when that is not the reason. */
  readonly clockSeconds: number | null;
}

/** Webhooks of an observed source in one hour, by the scheme or known sender that they pass; `none` passes nothing. */
export interface ObservedCount {
  readonly source: string;
  readonly scheme: string;
  /** Hours since 1970. */
  readonly hour: number;
  readonly webhooks: number;
}

/**
 * A time in which webhooks could not be stored, or in which a process stood still until its watchdog ended it. Times are
 * milliseconds since 1970.
 */
export interface Outage {
  /** The store could not be written, or an event loop did not turn. */
  readonly cause: 'store' | 'stalled';
  readonly beganAt: number;
  readonly endedAt: number;
  /** What may have blocked the event loop: a handler, or several with commas between them. Null when none ran. */
  readonly handler: string | null;
  /** Webhooks that got 503 from the processes that have recorded it. */
  readonly refused: number;
}

/** A subject whose record at the provider differs from its newest event. It holds no values. */
export interface RecordedDifference {
  /** The id within the family. */
  readonly id: string;
  /** As `reconcile` names it, such as `missed`. */
  readonly outcome: string;
  /** The dotted paths that differ. */
  readonly fields: readonly string[];
  /** When the provider changed it, or when it was first found. */
  readonly since: number;
  /** The id of a body about it that the quarantine held. */
  readonly quarantined: string | null;
}

/** The last complete look at the provider's records of a family. Times are milliseconds since 1970. */
export interface RecordedLook {
  readonly source: string;
  readonly family: string;
  /** When it began. */
  readonly at: number;
  /** When the last one began that compared every record; others leave out what has not changed. */
  readonly wholeAt: number;
  readonly equal: number;
  /** The number of subjects that differ, by outcome. */
  readonly differing: Readonly<Record<string, number>>;
  /** At most 100 of them, those that a repair can bring before others; none that was erased. */
  readonly differences: readonly RecordedDifference[];
}

/** Milliseconds within which the webhook of a change may still come. */
export const WEBHOOK_DELAY_MS = 5 * MINUTE_MS;

/** Whether no webhook has told a difference in time, as a look found it. */
export function isOverdue({ since }: RecordedDifference, { at }: Pick<RecordedLook, 'at'>): boolean {
  return at - since >= WEBHOOK_DELAY_MS;
}

/** The number of subjects of a look that differ. */
export function differingSubjects({ differing }: Pick<RecordedLook, 'differing'>): number {
  return Object.values(differing).reduce((sum, subjects) => sum + subjects, 0);
}

/** A problem that was found and has not ended. */
export interface RecordedProblem {
  /** Names the problem: it is the same from its begin to its end. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly beganAt: number;
  /** The problem as it was reported, as JSON. */
  readonly report: string;
}

/** A message to an operator that waits to be sent. */
export interface WaitingAlert {
  /** `a` and a number. Ids are never used twice. */
  readonly id: string;
  readonly body: string;
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  readonly lastError: string | null;
}

/**
 * How the server of a store differs from the one on which the store was last known. A timeline has a number, which grows
 * with each recovery and each failover.
 */
export type ServerMove =
  | { readonly differs: 'cluster' | 'database' | 'tables' }
  | { readonly differs: 'timeline'; readonly known: number; readonly here: number };

/** Says what has happened: a sentence without its full stop. */
export function serverMoveText(move: ServerMove): string {
  return `the database was restored, moved or has failed over since it was last known: ${differenceText(move)}`;
}

/** What to do about it, whatever differs. */
export const SERVER_MOVE_REMEDY =
  'if acknowledged events may be lost, stop every process and run `portaria store renew-id`, because their ids would be ' +
  'given to other events; if none can be, run `portaria store renew-id --keep-id`';

/** Says what differs, as a clause. */
export function differenceText(move: ServerMove): string {
  switch (move.differs) {
    case 'cluster':
      return 'it is in another cluster';
    case 'database':
      return 'it is another database of the cluster';
    case 'tables':
      return 'its tables were created anew';
    case 'timeline':
      return `it is on timeline ${String(move.here)} instead of ${String(move.known)}`;
  }
}

/** What a process records about the course of operation. */
export type MonitoringRecord =
  | ({ readonly record: 'arrivals' } & UncountedArrivals)
  /** Replaces the open breakers; those that were open keep their `since`. */
  | {
      readonly record: 'breakers';
      readonly open: readonly Omit<OpenBreaker, 'since'>[];
      readonly now: number;
    }
  /** By source and hour, each once. */
  | { readonly record: 'rejections'; readonly rejections: readonly RejectionCount[] }
  /** By source, scheme and hour, each once. */
  | { readonly record: 'observed'; readonly observed: readonly ObservedCount[] }
  /**
   * Problems that began or ended, and the messages about them, in one transaction: one about each that began, then one
   * about each that ended, in order. What another process has recorded is left out, with its message.
   */
  | {
      readonly record: 'problems';
      readonly begun: readonly RecordedProblem[];
      readonly ended: readonly string[];
      readonly alerts: readonly string[];
      readonly now: number;
    }
  | { readonly record: 'alert-sent'; readonly id: string }
  | { readonly record: 'alert-failed'; readonly id: string; readonly dueAt: number; readonly reason: string }
  /** Replaces the last look at the family of the source. */
  | ({ readonly record: 'look' } & RecordedLook)
  /** Removes looks from before a time: retention. */
  | { readonly record: 'looks-pruned'; readonly before: number }
  /** Processes of one store that record the same outage of it record one. The newest twenty are kept. */
  | ({ readonly record: 'outage' } & Outage)
  /** A part of a span of activity. */
  | ({ readonly record: 'activity' } & ActivityRecord);

/** What the records of all processes add up to. */
export interface MonitoringState {
  /** When the store was created, in milliseconds since 1970. */
  readonly createdAt: number;
  /** By source and kind, uncounted events included. */
  readonly received: readonly ReceivedKind[];
  /** Events that are counted nowhere yet, beyond those that this read has counted, or a few more. */
  readonly uncounted: number;
  readonly openBreakers: readonly OpenBreaker[];
  /** Of the last nine days, by source and hour. */
  readonly rejections: readonly RejectionCount[];
  /** The sums of the last nine days, by source and scheme; the most frequent scheme first. */
  readonly observed: readonly Omit<ObservedCount, 'hour'>[];
  /** The newest first. */
  readonly outages: readonly Outage[];
  /** By source and family. */
  readonly looks: readonly RecordedLook[];
  readonly rates: RateStates;
  readonly problems: readonly RecordedProblem[];
  readonly waitingAlerts: number;
  /** Why the oldest of them has failed; null when it has not. */
  readonly alertError: string | null;
}

/**
 * Keeps what tells an operator that something is wrong. A process that serves records it, and every process
 * reads it. Nothing here is on the path of an event: events are counted later, from the log.
 */
export interface Monitoring {
  /** Counts the oldest uncounted events, at most `limit`. */
  uncountedArrivals(limit: number): Promise<UncountedArrivals>;
  /** Returns the counts of hours from `since` on (hours since 1970), oldest first. Uncounted events are missing. */
  hourlyCounts(since: number): Promise<readonly HourlyCount[]>;
  monitoring(): Promise<MonitoringState>;
  /**
   * Compares the server of the store with the one on which the store was last known. Null where both are the same, where
   * the server tells nothing that differs, and in a file.
   */
  serverMove(): Promise<ServerMove | null>;
  /**
   * Returns what happened from `since` on (milliseconds since 1970), by steps of `stepMs` that begin at
   * multiples of it. Spans of more than 31 days ago are gone.
   */
  activity(since: number, stepMs: number): Promise<Activity>;
  /**
   * Returns the oldest waiting alert; null when none waits. One that is due belongs to the process that reads it, for a
   * time in which it can be sent; other processes read the end of that time as `dueAt`.
   */
  nextAlert(): Promise<WaitingAlert | null>;
  /**
   * Returns false when nothing was recorded: another process has counted these arrivals or recorded these problems, or
   * the alert is unknown or belongs to another process.
   */
  recordMonitoring(record: MonitoringRecord): Promise<boolean>;
}
