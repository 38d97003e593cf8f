/** Splits long work, so that other requests run in between. */
import { setImmediate as nextTick } from 'node:timers/promises';

/** Milliseconds of work before the event loop runs. */
const SLICE_MS = 2;

/** Splits long work into slices, so that other requests wait for one slice and not for the whole. */
export interface TimeSlice {
  /** Whether the slice is used up. */
  isOver(): boolean;
  /** Lets the event loop run, and begins the next slice. */
  next(): Promise<void>;
}

export function beginTimeSlice(): TimeSlice {
  let startedAt = performance.now();
  return {
    isOver: () => performance.now() - startedAt >= SLICE_MS,
    async next() {
      await nextTick();
      startedAt = performance.now();
    },
  };
}
