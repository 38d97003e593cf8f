import type { LaneOrder } from './route.ts';

/** A handler or machine as its process records it, without its functions. */
export interface RecordedHandler {
  readonly name: string;
  readonly type: 'handler' | 'machine';
  /** Kinds and wildcards. */
  readonly on: readonly string[];
  readonly order: LaneOrder;
  readonly stale: boolean;
  /** The waits are in milliseconds. */
  readonly retry: { readonly attempts: number; readonly baseMs: number; readonly maxMs: number };
  readonly timeoutMs: number;
  readonly breaker: {
    readonly failures: number;
    readonly subjects: number;
    readonly giveUps: number;
  };
  /** The names of a machine's effects. */
  readonly effects: readonly string[];
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

/**
 * Records which processes run handlers, so that the command line knows the handlers of a process that it
 * has not started: those of an application that embeds the receiver, for example.
 */
export interface Processes {
  /**
   * Records a process; the same one again changes nothing. Removes the records of processes that have
   * ended without {@link unregisterProcess}.
   */
  registerProcess(process: HandlerProcess): Promise<void>;
  /** Removes the record. Does nothing if there is none. */
  unregisterProcess(id: string): Promise<void>;
  /** Returns the processes that run now, the latest start first. A process that was killed is not among them. */
  processes(): Promise<readonly HandlerProcess[]>;
}
