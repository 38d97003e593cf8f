/** How a store prunes old content in steps. */
import type { Subject } from '../event/subject.ts';
import type { JsonValue } from '../kernel/json/json.ts';

/** Selects a page of rows to prune: those older than `before`, after the row `after`. */
export interface PruneRequest {
  /** Milliseconds since 1970. */
  readonly before: number;
  /** The number of the last row of the previous page; 0 for the first page. */
  readonly after: number;
  /** The maximum number of rows to look at, old or not. */
  readonly limit: number;
}

/** A page of rows that can be pruned. */
export interface PrunePage {
  /** The numbers of the rows. */
  readonly rows: readonly number[];
  /** The bytes that pruning them removes. */
  readonly bytes: number;
  /** Old rows of the page that stay because their subject is held. */
  readonly held: number;
  /** The number of the last row looked at; null when no row is left. */
  readonly next: number | null;
}

/** The prunable events of a subject that machines have folded. */
export interface FoldedEvents {
  readonly source: string;
  readonly subject: Subject;
  /** The machines with a state of the subject. */
  readonly machines: readonly string[];
  readonly events: readonly number[];
}

/** A page of events. `rows` are those of subjects without a machine state. */
export interface PrunableEvents extends PrunePage {
  readonly folded: readonly FoldedEvents[];
  /** Old events of the page that are not held and stay, because something of them or of their machines waits. */
  readonly waiting: number;
  /** The first event of the page with a body that stays; null when none does. */
  readonly firstKept: number | null;
  /** The number of the last event looked at; `after` when there is none. */
  readonly last: number;
}

/** The state that a subject's events up to one of them left, in version order. */
export interface MachineBase {
  readonly state: JsonValue;
  /** The number of the last of these events, in version order. */
  readonly through: number;
}

/** A base to store before the events that it stands for are pruned. */
export interface NewMachineBase extends MachineBase {
  readonly machine: string;
  readonly source: string;
  readonly subject: Subject;
  /** The revision of the machine's state that the base belongs to. */
  readonly revision: number;
}

export interface PruneEvents {
  readonly events: readonly number[];
  /** The machines whose states were looked at; an event that another machine has folded stays. */
  readonly machines: readonly string[];
  /** The bases of those machines that need one. */
  readonly bases: readonly NewMachineBase[];
  /** As in {@link PruneRequest}: younger events stay. */
  readonly before: number;
  readonly now: number;
}

/** Asks for the next day whose content can go at once. */
export interface PruneDay {
  /** Milliseconds since 1970: the whole day must be older. */
  readonly before: number;
  /** The day of the previous call; null for the first call. */
  readonly after: number | null;
  readonly now: number;
  /** Called before each step. The call ends without a change when it returns false. */
  readonly step: () => Promise<boolean>;
}

/** A day that was looked at, and what of it was pruned: nothing when too many of its events stay. */
export interface PrunedDay {
  /** Days since 1970. */
  readonly day: number;
  readonly events: number;
  /** Bytes of bodies and headers. */
  readonly bytes: number;
  /** Bytes given back to the system. */
  readonly givenBack: number;
}

/** What was pruned since the store was created, and when `serve` prunes. Times are milliseconds since 1970. */
export interface RetentionRecord {
  readonly events: number;
  /** Bytes of bodies and headers. */
  readonly bytes: number;
  readonly quarantine: number;
  readonly deliveries: number;
  /** Dead letters among the deliveries: they were discarded. */
  readonly discarded: number;
  /** When the oldest event that has a body was received; null when none has one. */
  readonly oldestBodyAt: number | null;
  readonly lastRunAt: number | null;
  /** Null when no process prunes by itself. */
  readonly nextRunAt: number | null;
}

/** Members left out keep their values. Times are milliseconds since 1970. */
export interface PruningRun {
  readonly lastRunAt?: number;
  /** Null when no process prunes by itself. */
  readonly nextRunAt?: number | null;
  /** No event before it has a body. */
  readonly firstBody?: number;
}

/**
 * Removes old content in small steps, each one transaction. A pruned event keeps
 * its row: subject, version, digest and message id stay, so that repeats are
 * known and verdicts stay right.
 *
 * What waits is never pruned: an event with a pending, running or dead delivery,
 * and an event of a subject whose machine waits for any of its events. Nor is the
 * content of a held subject: its events, their deliveries, and quarantine entries
 * that became its events.
 */
export interface Retention {
  prunableEvents(request: PruneRequest): Promise<PrunableEvents>;
  /** Quarantine entries, held or released, that came last before the time. */
  prunableQuarantine(request: PruneRequest): Promise<PrunePage>;
  /** Finished deliveries with an error or a change, and dead letters. */
  prunableDeliveries(request: PruneRequest): Promise<PrunePage>;

  /**
   * Removes bodies and kept headers, except of events that wait, are held or are younger.
   * An event of a subject that a machine has folded stays unless the machine is named.
   *
   * @throws PortariaError `machine-conflict` when a state has changed since its base was read: nothing is pruned.
   */
  pruneEvents(request: PruneEvents): Promise<{ readonly events: number; readonly bytes: number }>;
  /**
   * Removes the content of most events of a whole day at once, and leaves the rest to `pruneEvents`. Only a store that
   * keeps content by days of arrival (UTC) has it.
   *
   * @returns the day, or null when no further day is old
   */
  readonly pruneDay?: (request: PruneDay) => Promise<PrunedDay | null>;
  /** Removes entries with their bytes. */
  pruneQuarantine(rows: readonly number[], before: number): Promise<number>;
  /** Removes errors and changes of finished deliveries, and discards dead letters: they become skipped. */
  pruneDeliveries(
    rows: readonly number[],
    before: number,
  ): Promise<{ readonly deliveries: number; readonly discarded: number }>;

  /** Where the first event with a body is, at the earliest: a run starts there. */
  firstBody(): Promise<number>;
  /** Records what a run found, and when it ended and the next one begins. */
  recordPruning(run: PruningRun): Promise<void>;

  /**
   * Gives free space back to the system, beyond what new events need soon.
   *
   * @returns the bytes given back; 0 when there is nothing to give, or the file must be compacted for it
   */
  giveBackSpace(maxBytes: number): Promise<number>;
}
