/** The provider's clock, kept across restarts. */
import type { Database } from 'better-sqlite3';
import type { Cancel, Clock } from '../src/kernel/time/clock.ts';
import { movableClock, type MovableClock } from './movable-clock.ts';

/** Milliseconds of the machine between two writes of the offset, while the clock runs at another speed. */
const SAVE_EVERY_MS = 1_000;

/** The provider's clock, whose offset is in the database: a restart continues at the time of the stop. */
export interface SavedClock {
  readonly clock: MovableClock;
  /** Advances the clock and writes its offset. */
  advance(ms: number): void;
  /** Changes the speed until the next start. 0 stops the clock. */
  setSpeed(speed: number): void;
  /** Writes the offset, and stops writing it. */
  close(): void;
}

/**
 * Opens the clock at its stored offset.
 *
 * @param exclusively runs a write while no transaction has the connection
 */
export function openSavedClock(
  sqlite: Database,
  machine: Clock,
  exclusively: (write: () => void) => Promise<void>,
): SavedClock {
  const read = sqlite.prepare<[], number>('select ahead_ms from service_clock').pluck();
  const write = sqlite.prepare<[number]>('update service_clock set ahead_ms = ?');
  const clock = movableClock(machine, read.get() ?? 0);
  let cancelNext: Cancel = () => undefined;

  /** What is written covers the time until the next write, so that a crash never turns the clock back. */
  function save(advance = 0): void {
    write.run(Math.round(clock.ahead + advance + Math.max(0, clock.speed - 1) * SAVE_EVERY_MS));
  }

  function saveRegularly(): void {
    cancelNext();
    if (clock.speed === 1) return;
    cancelNext = machine.after(SAVE_EVERY_MS, () => {
      void exclusively(() => {
        save();
      }).then(saveRegularly, saveRegularly);
    });
  }

  return {
    clock,
    advance(ms) {
      save(ms);
      clock.advance(ms);
    },
    setSpeed(speed) {
      clock.setSpeed(speed);
      save();
      saveRegularly();
    },
    close() {
      cancelNext();
      if (clock.speed !== 1) write.run(clock.ahead);
    },
  };
}
