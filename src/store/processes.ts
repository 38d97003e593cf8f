/** The records of running processes and of their handlers. */
import type { LatestPolicy } from './lane-queue.ts';
import type { LaneOrder } from './route.ts';

/** A handler or machine as its process records it, without its functions. */
export interface RecordedHandler {
  readonly name: string;
  readonly type: 'handler' | 'machine';
  /** Kinds and wildcards. */
  readonly on: readonly string[];
  readonly order: LaneOrder;
  /** With `order: 'latest'`, whose deliveries are in the lanes of subjects; missing otherwise. */
  readonly latest?: LatestPolicy | undefined;
  readonly stale: boolean;
  /** The waits are in milliseconds. */
  readonly retry: { readonly attempts: number; readonly baseMs: number; readonly maxMs: number };
  readonly timeoutMs: number;
  readonly breaker: {
    readonly failures: number;
    readonly subjects: number;
    readonly giveUps: number;
  };
  /** Missing in the record of a process of an earlier version: `continue`. */
  readonly afterDeadLetter?: 'continue' | 'hold';
  /** The names of a machine's effects. */
  readonly effects: readonly string[];
}

/** A handler, or a kind or source beyond the specification, as the process that knows it records it. */
export interface KnownDefinition {
  readonly type: 'kind' | 'source' | 'handler';
  readonly name: string;
  /** The custom source that sends the kind; null for a kind of every source, for a source and for a handler. */
  readonly source: string | null;
  /** The file that defines it; `createPortaria` for one that an application passes; '' for a handler. */
  readonly origin: string;
  /** Of schema, family, personal paths and envelope, or of the kinds that a handler receives; not of functions. */
  readonly hash: string;
}

/** A process that runs handlers of a store. */
export interface HandlerProcess {
  /** Drawn when the process starts: process numbers repeat, in containers above all. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** The version of Portaria. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly handlers: readonly RecordedHandler[];
}

/** A process that runs deliveries of a store now. Times are milliseconds since 1970. */
export interface RunningProcess extends Pick<HandlerProcess, 'host' | 'pid'> {
  /** Null until it has recorded itself. */
  readonly version: string | null;
  readonly startedAt: number | null;
  /** Its last heartbeat; null in a store of one process, which needs none. */
  readonly seenAt: number | null;
  /** Whether it does the periodic work. */
  readonly leads: boolean;
  /** Deliveries that it has claimed and not ended. */
  readonly inFlight: number;
}

/**
 * Records which processes run handlers, so that the command line knows the handlers of a process that it
 * has not started: those of an application that embeds the receiver, for example.
 */
export interface Processes {
  /**
   * Records a process; the same one again changes nothing. Removes the records of processes that have
   * ended without {@link unregisterProcess}.
   *
   * @param definitions are recorded with the process; when the last process ends, its definitions stay
   */
  registerProcess(process: HandlerProcess, definitions: readonly KnownDefinition[]): Promise<void>;
  /**
   * Renews the lease of a process whose main thread is blocked, so that no other one takes over its deliveries. Does
   * nothing in a store of one process, and when the lease is gone.
   */
  keepLease(holder: number): Promise<void>;
  /** Removes the record. Does nothing if there is none. */
  unregisterProcess(id: string): Promise<void>;
  /**
   * Whether this process does the periodic work of the store, such as retention: one of those that dispatch.
   * It changes when that process ends.
   */
  leads(): boolean;
  /** Returns the processes that run now, the latest start first. A process that was killed is not among them. */
  processes(): Promise<readonly HandlerProcess[]>;
  /** Returns the processes that run deliveries now, the one that leads first. A process that was killed is not among them. */
  runningProcesses(): Promise<readonly RunningProcess[]>;
  /**
   * Returns the handlers, and the kinds and sources beyond the specification, that any running process knows, or else
   * those that the last ones knew. Stored bodies are read by them. Processes of two versions may know two forms of one: both are
   * returned.
   */
  knownDefinitions(): Promise<readonly KnownDefinition[]>;
}
