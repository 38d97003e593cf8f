/** Cancels a timer; harmless when it has already fired. */
export type Cancel = () => void;

/**
 * The only source of time. Injected everywhere, so that tests move it by hand
 * and a jump of the system's clock has one place to be thought about.
 */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z, by the wall. May jump either way. */
  now(): number;
  /** Milliseconds since an arbitrary start. Never goes back; for durations. */
  monotonic(): number;
  /** Calls back once after `ms` milliseconds (0 or less: as soon as possible). */
  after(ms: number, callback: () => void): Cancel;
}
