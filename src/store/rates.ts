/** Buckets of rates: how often code is called, in all processes of the store together. */

/** A call of a limited handler that is about to start. */
export interface RateTaking {
  readonly bucket: string;
  /** What the bucket is kept for, hashed; empty for all calls together. */
  readonly key: string;
  /** The delivery that starts, `d` and a number. */
  readonly delivery: string;
  /** Microseconds between two calls. */
  readonly intervalUs: number;
  /** Calls that may start at once after a time without any. */
  readonly burst: number;
}

/** What waits for a rate, and what is closed. Times are milliseconds since 1970. */
export interface RateStates {
  /** Buckets whose target has asked for a pause, by name; of several keys, the last one that opens. */
  readonly closed: readonly { readonly bucket: string; readonly until: number }[];
  /** Lanes that wait for the rate of their handler: at most 1,000 are counted. */
  readonly waiting: readonly { readonly handler: string; readonly lanes: number; readonly until: number }[];
}

export interface Rates {
  /**
   * Takes a call from the bucket of each: null when it may start now, else the time when to ask again, in milliseconds
   * since 1970, which is another one for each that waits.
   */
  takeRates(takings: readonly RateTaking[]): Promise<readonly (number | null)[]>;
  /** Closes a bucket until then: nothing may start. It never opens one earlier. */
  closeRate(
    taking: Pick<RateTaking, 'bucket' | 'key'>,
    options: { readonly until: number; readonly now: number },
  ): Promise<void>;
}
