/** Calls of handlers, as they saw them. */

export type CallEnd = 'return' | 'discard' | 'give-up' | 'later' | 'throw';

export interface Call {
  /** Which process made it, from 1. */
  readonly process: number;
  readonly handler: string;
  /** `d` and a number. */
  readonly delivery: string;
  /** Of a machine's effect its name. */
  readonly effect: string;
  /** The number of the event. */
  readonly event: number;
  readonly attempt: number;
  readonly isReplay: boolean;
  /** Whether the provider may have been asked before: the attempt began then. */
  readonly isAsked: boolean;
  /** How often the handler had the event, this call included. */
  readonly nth: number;
  /** By the monotonic clock. */
  readonly startedAt: number;
  /** How many faults there were when it began; negative while one was planned. */
  readonly faults: number;
  endedAt: number | null;
  /** Milliseconds for which the handler asked to wait. */
  waitMs: number;
  /** Whether nothing else of its rate may be called meanwhile. */
  closesRate: boolean;
  how: CallEnd | 'timed-out' | 'stopped' | null;
}
