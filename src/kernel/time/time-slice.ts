import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

/** Milliseconds of work after which others get a turn. */
const SLICE_MS = 2;

/** Splits long work, so that requests that come meanwhile wait for a slice of it and not for all. */
export interface TimeSlice {
  /** Whether the slice is used up. */
  isOver(): boolean;
  /** Lets the event loop turn, and begins the next slice. */
  next(): Promise<void>;
}

export function beginTimeSlice(): TimeSlice {
  let began = performance.now();
  return {
    isOver: () => performance.now() - began >= SLICE_MS,
    async next() {
      await turnOfTheLoop();
      began = performance.now();
    },
  };
}
