/** Decides from heartbeats when a thread has stalled. */

/** The exit code of a process whose event loop did not turn: that of an internal error (`EX_SOFTWARE`). */
export const STALLED_EXIT_CODE = 70;

/** The event of `process` that the watchdog's thread emits in a thread that is blocked for longer than a shutdown's grace. */
export const BLOCKED = 'portaria:blocked';

/** Milliseconds without a heartbeat after which a process that stops is ended once its grace is over. */
export const STOPPING_SILENCE_MS = 1_000;

/** What the main thread shared at one look. */
export interface Look {
  readonly beats: number;
  /** Whether a debugger may have stopped it. */
  readonly isDebugged: boolean;
  /** The grace of the shutdown that has begun; null while there is none. */
  readonly graceMs: number | null;
}

export interface Silence {
  readonly silentMs: number;
  /** `stalled` after the timeout; `unstoppable` when a shutdown's grace is over. */
  readonly verdict: 'stalled' | 'unstoppable' | null;
}

/**
 * Returns a function that is called every `lookMs` milliseconds. It counts its calls, not the time: while the whole
 * machine stands still, or has no time for this process, nothing has stalled.
 */
export function createStallClock(lookMs: number, timeoutMs: number): (look: Look) => Silence {
  let known = -1;
  let silentMs = 0;
  let stoppingMs = 0;
  return ({ beats, isDebugged, graceMs }) => {
    silentMs = beats === known && !isDebugged ? silentMs + lookMs : 0;
    known = beats;
    if (graceMs !== null) stoppingMs += lookMs;
    if (silentMs >= timeoutMs) return { silentMs, verdict: 'stalled' };
    const isOver = graceMs !== null && stoppingMs >= graceMs && silentMs >= STOPPING_SILENCE_MS;
    return { silentMs, verdict: isOver ? 'unstoppable' : null };
  };
}
