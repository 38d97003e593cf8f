/** How a process learns what others have stored, and what it has taken over or lost. */
import type { Cancel } from '../kernel/time/clock.ts';

/** What several processes on one database tell each other. */
export interface ForeignChanges {
  /**
   * Calls back when another process may have stored something: events, a retry, a pause. Many changes share a call,
   * and a call may be lost, so whoever needs to know polls, too. A store of one owner never calls.
   *
   * @returns what ends the calls
   */
  onForeignChange(callback: () => void): Cancel;

  /**
   * Calls back when this process has made the deliveries of another one, which has died, pending again, with their
   * number. A store of one owner never calls.
   *
   * @returns what ends the calls
   */
  onTakeOver(callback: (deliveries: number) => void): Cancel;

  /**
   * Calls back when this process knows that others have ended its lease, with the lease's number: no outcome of a
   * delivery with this holder will be stored. Never on suspicion, and never for a store of one owner.
   *
   * @returns what ends the calls
   */
  onLeaseLost(callback: (holder: number) => void): Cancel;
}

/** For a store of one owner, which polls for what the command line has stored. */
export const noForeignChanges: ForeignChanges = {
  onForeignChange: () => () => undefined,
  onTakeOver: () => () => undefined,
  onLeaseLost: () => () => undefined,
};
