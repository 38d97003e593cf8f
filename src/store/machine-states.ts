import type { JsonValue } from '../kernel/json.ts';
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
  readonly anomalies: number;
}

/** One impossible move, as the machine described it. */
export interface Anomaly {
  readonly machine: string;
  readonly eventId: string;
  readonly message: string;
}

/** An event as far as its place in a history goes. */
export type LoggedEvent = Pick<EventRecord, 'id' | 'kind' | 'recognized' | 'version'>;

export interface MachineStates {
  machineState(machine: string, source: string, subject: Subject): Promise<MachineState | null>;

  /**
   * Which events are stored of the subject, in arrival order, up to and
   * including event `through` when given. Those without payload (purged), and
   * those that were superseded, are left out. A subject may have very many: payloads are read page by page.
   */
  subjectLog(source: string, subject: Subject, through?: string): Promise<readonly LoggedEvent[]>;

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

  anomalies(machine: string, source: string, subject: Subject): Promise<readonly Anomaly[]>;

  /** Subjects with an event of one of these kinds, in the order first seen, after `cursor`. */
  subjectsWithKinds(
    kinds: readonly string[],
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<{
    readonly subjects: readonly { readonly source: string; readonly subject: Subject }[];
    readonly cursor: string | null;
  }>;
}
