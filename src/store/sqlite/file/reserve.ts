/**
 * Room on the disk for operators: a file beside the database that is given up when the disk is full, and made again
 * when there is room. While it is given up, no webhook takes that room.
 */
import { randomBytes } from 'node:crypto';
import { rmSync, statfsSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createPrivateFile } from '../../../kernel/files/private-files.ts';
import type { StoreRole } from '../../store.ts';
import { freeBytes } from './disk.ts';

/** Room for the index of the log, and for a step of pruning. */
const RESERVE_BYTES = 4 * 1024 * 1024;

/** A small disk gives this part of itself. */
const PART_OF_DISK = 16;

/** A disk with less free room than so many reserves gets none. */
const FIRST_ROOM = 4;

const reserveFile = (database: string) => `${database}.reserve`;

/** The state of a reserve: it has its size, it is given up, or there is none. */
export type ReserveState = 'whole' | 'given-up' | 'none';

export function reserveState(database: string): ReserveState {
  const size = statSync(reserveFile(database), { throwIfNoEntry: false })?.size;
  if (size === undefined) return 'none';
  return size > 0 ? 'whole' : 'given-up';
}

/** The reserve as the transactions of one process see it. */
export interface Reserve {
  /** Looks at the file. The owner of the database makes it again, if there is room. */
  look(): void;
  giveUp(): void;
  /** Whether it was given up when this process looked last: what is not for operators must wait. */
  isGivenUp(): boolean;
}

export function createReserve(database: string, role: StoreRole): Reserve {
  let isGivenUp = false;
  return {
    look() {
      isGivenUp = reserveState(database) === 'given-up';
      if (!isGivenUp || role !== 'owner') return;
      makeReserve(database);
      isGivenUp = reserveState(database) === 'given-up';
    },
    giveUp() {
      giveUpReserve(database);
      isGivenUp = true;
    },
    isGivenUp: () => isGivenUp,
  };
}

/** Returns whether there was a reserve, so that what failed for want of room may succeed now. */
export function giveUpReserve(database: string): boolean {
  if (reserveState(database) !== 'whole') return false;
  truncateSync(reserveFile(database));
  return true;
}

/** Makes the first reserve of a database, or the one that was given up, if there is room for half of it. */
export function makeReserve(database: string): void {
  const state = reserveState(database);
  if (state === 'whole') return;
  const file = reserveFile(database);
  try {
    const { blocks, bsize } = statfsSync(database);
    const whole = Math.min(RESERVE_BYTES, Math.floor((blocks * bsize) / PART_OF_DISK));
    const free = freeBytes(database);
    if (free < (state === 'none' ? FIRST_ROOM * whole : whole / 2)) return;
    createPrivateFile(file);
    // A file system that compresses has no room for zeros.
    writeFileSync(file, randomBytes(Math.min(whole, free)), { flag: 'r+' });
  } catch {
    // What was written is room that others need. A first reserve that does not fit leaves webhooks as they were.
    if (state === 'none') rmSync(file, { force: true });
    else truncateSync(file);
  }
}
