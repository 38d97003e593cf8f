/** The states of machines, as a store keeps them, and in numbers. */
import type { JsonValue } from '../kernel/json/json.ts';
import type { EventRecord, StoredEvent } from '../event/stored-event.ts';
import type { Subject } from '../event/subject.ts';
import type { MachineCommit } from './lane-queue.ts';
import type { MachineBase } from './retention.ts';
import type { SourceSubject } from './queries.ts';

/** The maximum number of anomalies that a store keeps for a machine and a subject: the latest. All are counted. */
export const MAX_ANOMALIES = 1_000;

/** A machine's state of one subject. */
export interface MachineState {
  readonly machine: string;
  readonly source: string;
  readonly subject: Subject;
  readonly state: JsonValue;
  readonly version: string | null;
  readonly lastEventId: string;
  /** The number of commits, from 1. */
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** The number of anomalies found; the latest {@link MAX_ANOMALIES} are stored. */
  readonly anomalies: number;
}

/** An impossible transition, as the machine described it. */
export interface Anomaly {
  readonly machine: string;
  readonly eventId: string;
  readonly message: string;
}

/** Selects the history of a subject. */
export interface HistoryRequest {
  readonly source: string;
  readonly subject: Subject;
  /** Only recognized events of these kinds; all events by default. */
  readonly kinds?: readonly string[];
  /** The id of the last event to include, by arrival; the newest by default. */
  readonly through?: string | undefined;
  /** An event to include in any case, even if it is pruned. */
  readonly event?: Pick<EventRecord, 'id' | 'version'>;
}

/**
 * A subject's events in the order in which they happened, as far as known: by
 * version, then by arrival. An event without a version follows the highest
 * version that had arrived before it.
 */
export interface VersionOrder {
  /** The numbers that the event ids end in. There may be very many, so only numbers are read. */
  readonly events: Float64Array;
  /** The highest version; null when none has one. */
  readonly version: string | null;
  /** How often an event of the subject was erased: a cached fold of earlier content must not be used. */
  readonly erased: number;
  /** The number of events, from the first, up to the last pruned one; 0 when none is pruned. */
  readonly prunedThrough: number;
}

/** Stores the states of machines, and reads the histories that they are folded from. */
export interface MachineStates {
  machineState(machine: string, source: string, subject: Subject): Promise<MachineState | null>;

  /** Returns the state that the pruned events of a subject left; null when none was stored. */
  machineBase(machine: string, source: string, subject: Subject): Promise<MachineBase | null>;

  /** Returns a subject's history without superseded events. Pruned events keep their indexes. */
  versionOrder(request: HistoryRequest): Promise<VersionOrder>;

  /** Returns the id of the last event of the history to arrive before one; null when there is none. */
  eventBefore(source: string, subject: Subject, eventId: string): Promise<string | null>;

  /** Returns the events of these ids, in this order, without unknown and pruned ones. */
  storedEvents(ids: readonly string[]): Promise<readonly StoredEvent[]>;

  /** Whether the machine's deliveries of the event are all dead, and there is at least one. */
  hasDiedOf(machine: string, eventId: string): Promise<boolean>;

  /**
   * Stores a rebuilt state outside any delivery.
   *
   * @throws PortariaError `machine-conflict` as `complete`.
   */
  commitMachine(source: string, subject: Subject, commit: MachineCommit, now: number): Promise<void>;

  listMachineStates(filter: {
    readonly machine?: string;
    readonly source?: string;
    readonly subject?: Subject;
    readonly anomalous?: boolean;
    readonly limit: number;
  }): Promise<readonly MachineState[]>;

  /** Returns the latest anomalies, oldest first. */
  anomalies(machine: string, source: string, subject: Subject, limit: number): Promise<readonly Anomaly[]>;

  /** Returns the sources that sent events of the subject, in the order first seen. */
  sourcesOf(subject: Subject): Promise<readonly string[]>;

  /** Returns a page of the subjects with an event of one of these kinds, in the order first seen. */
  subjectsWithKinds(
    kinds: readonly string[],
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<{
    readonly subjects: readonly { readonly source: string; readonly subject: Subject }[];
    readonly cursor: string | null;
  }>;
}

/** How many subjects are in the same phases of a machine. */
export interface PhaseCount {
  /** In the order of the state’s parts; empty when the state has none. */
  readonly phases: readonly string[];
  readonly subjects: number;
  /** Whether there are more, which were not counted. */
  readonly more: boolean;
}

/** Selects states of one machine. */
export interface PhaseFilter {
  readonly machine: string;
  /** In this phase, with whatever other phases. */
  readonly phase?: string;
  /** With an anomaly. */
  readonly anomalous?: boolean;
}

/** Reads of machines as a whole, for operators. Their cost does not grow with the number of subjects. */
export interface MachineOverview {
  /** Returns the names of all machines that have a state. */
  machineNames(): Promise<readonly string[]>;
  /** Counts the subjects of a machine by phases: up to 10,000 of each, for the first 100 different ones. */
  phaseCounts(machine: string): Promise<readonly PhaseCount[]>;
  /** Counts the subjects of a machine with an anomaly, up to 10,000. */
  anomalousSubjects(machine: string): Promise<Pick<PhaseCount, 'subjects' | 'more'>>;
  /**
   * Returns a page of a machine's states, in the order in which their subjects were first seen.
   *
   * @param page `after` is the cursor that the page before returned
   */
  statesInPhase(
    filter: PhaseFilter,
    page: { readonly limit: number; readonly after?: string },
  ): Promise<{ readonly states: readonly MachineState[]; readonly cursor: string | null }>;
  /** Returns the latest anomalies of a machine, newest first. */
  latestAnomalies(machine: string, limit: number): Promise<readonly (Anomaly & SourceSubject)[]>;
}
