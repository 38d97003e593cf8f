import type { JsonValue } from '../kernel/json/json.ts';
import type { EventRecord, StoredEvent } from '../event/stored-event.ts';
import type { Subject } from '../event/subject.ts';
import type { MachineCommit } from './lane-queue.ts';

/** What a machine knows of one subject. */
export interface MachineState {
  readonly machine: string;
  readonly source: string;
  readonly subject: Subject;
  readonly state: JsonValue;
  readonly version: string | null;
  readonly lastEventId: string;
  /** Counts the commits, from 1. */
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** How many were found; the latest 1,000 are kept. */
  readonly anomalies: number;
}

/** One impossible move, as the machine described it. */
export interface Anomaly {
  readonly machine: string;
  readonly eventId: string;
  readonly message: string;
}

/** Which history is wanted. */
export interface HistoryRequest {
  readonly source: string;
  readonly subject: Subject;
  /** Kinds of the contract; of events that were not recognized, too, unless given. */
  readonly kinds?: readonly string[];
  /** The last event to arrive that counts; all do unless given. */
  readonly through?: string | undefined;
  /** One that belongs to the history whatever became of it in the log. */
  readonly event?: Pick<EventRecord, 'id' | 'version'>;
}

/**
 * A subject's events in the order they happened, as far as it is known: by
 * version, equal ones by arrival. An event without a version keeps the place
 * its arrival gives it, behind the highest version that had arrived by then.
 */
export interface VersionOrder {
  /** Their numbers, which their ids end in. There may be very many: nothing else of them is read. */
  readonly events: Float64Array;
  /** The highest version; null when none has one. */
  readonly version: string | null;
}

export interface MachineStates {
  machineState(machine: string, source: string, subject: Subject): Promise<MachineState | null>;

  /** A subject's history. Events without payload (purged), and those that were superseded, are left out. */
  versionOrder(request: HistoryRequest): Promise<VersionOrder>;

  /** The last event of that history to arrive before one; null when there is none. */
  eventBefore(source: string, subject: Subject, eventId: string): Promise<string | null>;

  /** The events of these ids, in the order given. Those that are unknown or purged are left out. */
  storedEvents(ids: readonly string[]): Promise<readonly StoredEvent[]>;

  /** Whether the machine was given the event, died of it every time, and has never folded it. */
  hasDiedOf(machine: string, eventId: string): Promise<boolean>;

  /**
   * Stores a rebuilt state outside any delivery.
   * @throws PortariaError `machine-conflict` as `advance`.
   */
  commitMachine(source: string, subject: Subject, commit: MachineCommit, now: number): Promise<void>;

  listMachineStates(filter: {
    readonly machine?: string;
    readonly source?: string;
    readonly subject?: Subject;
    readonly anomalous?: boolean;
    readonly limit: number;
  }): Promise<readonly MachineState[]>;

  /** The latest, at most so many, oldest first. */
  anomalies(machine: string, source: string, subject: Subject, limit: number): Promise<readonly Anomaly[]>;

  /** The sources that something of the subject came from, in the order first seen. */
  sourcesOf(subject: Subject): Promise<readonly string[]>;

  /** Subjects with an event of one of these kinds, in the order first seen, after `cursor`. */
  subjectsWithKinds(
    kinds: readonly string[],
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<{
    readonly subjects: readonly { readonly source: string; readonly subject: Subject }[];
    readonly cursor: string | null;
  }>;
}
