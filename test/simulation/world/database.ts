/** The database under a world, and how the processes of the world reach it. */
import type { Clock } from '../../../src/kernel/time/clock.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Rows } from '../checker/rows.ts';
import type { Disk } from './disk-faults.ts';

export interface Database {
  /** What is stored, past the code that is checked. */
  readonly rows: Rows;
  readonly disk: Disk;
  /** As `PORTARIA_DATABASE` has it. */
  readonly address: string;
  /** Opens the store as a command beside `serve` does. */
  openGuest(clock: Clock): Promise<Store>;
  close(): void;
}

/** The process that a database serves. */
export interface DatabaseHost {
  die(): void;
  isDead(): boolean;
}
