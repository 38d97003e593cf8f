import type { Repeat, Settlement } from '../outbox.ts';
import type { SenderCounts } from '../sender-counts.ts';

/** What the sending thread is started with. */
export interface SenderThreadData {
  /** The provider's SQLite file. */
  readonly file: string;
  /** See {@link chaosMemory}. */
  readonly chaos: SharedArrayBuffer;
  /** Milliseconds that the provider's time is ahead of the machine's. */
  readonly aheadMs: number;
  /** One whole number, shared: 1 while the thread wants to be told that something was recorded. */
  readonly wantsWake: Int32Array<SharedArrayBuffer>;
}

/** To the sending thread. */
export type ToSender =
  /** Something was recorded. */
  | { readonly type: 'wake' }
  /** Something was set aside by others. */
  | { readonly type: 'look around' }
  /** By so many milliseconds the provider's time was put forward. */
  | { readonly type: 'advance'; readonly ms: number }
  /** What came of the oldest `settle` that was not answered: null, or what went wrong. */
  | { readonly type: 'settled'; readonly failure: Error | null }
  /** Let what is on its way come to an end, and end. */
  | { readonly type: 'stop' };

/** From the sending thread. */
export type FromSender =
  /** To be written in one transaction. */
  | {
      readonly type: 'settle';
      readonly settled: readonly Settlement[];
      readonly repeats: readonly Repeat[];
      readonly counts: SenderCounts;
    }
  | {
      readonly type: 'log';
      readonly level: 'warn' | 'error';
      readonly fields: object;
      readonly message: string;
    }
  /** The last one, with what was counted in all. */
  | { readonly type: 'ended'; readonly counts: SenderCounts };
