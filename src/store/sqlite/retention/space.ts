/** Gives free pages of the file back to the disk. */
import type { Database } from 'better-sqlite3';

/** The value of `pragma auto_vacuum` for files that give space back in steps. */
const INCREMENTAL = 2;

/** Free bytes that stay in the file for the next events: it would grow again at once. */
const RESERVE_BYTES = 1024 * 1024;

/** The free space in a file. */
export interface FreeSpace {
  /** Bytes in pages that nothing uses. New events fill them before the file grows. */
  readonly bytes: number;
  /** Whether they can be given back in steps; otherwise the file must be compacted once. */
  readonly inSteps: boolean;
}

export function freeSpace(database: Database): FreeSpace {
  return {
    bytes: numberOf(database, 'freelist_count') * numberOf(database, 'page_size'),
    inSteps: numberOf(database, 'auto_vacuum') === INCREMENTAL,
  };
}

/**
 * Moves the last pages of the file into free ones, at most `maxBytes`, so that a
 * checkpoint shortens it. Called inside a transaction. Returns the bytes given back.
 */
export function giveBackSpace(database: Database, maxBytes: number): number {
  const { bytes, inSteps } = freeSpace(database);
  const pageBytes = numberOf(database, 'page_size');
  const pages = Math.floor(Math.min(maxBytes, bytes - RESERVE_BYTES) / pageBytes);
  if (!inSteps || pages <= 0) return 0;
  const before = numberOf(database, 'page_count');
  database.pragma(`incremental_vacuum(${String(pages)})`);
  return (before - numberOf(database, 'page_count')) * pageBytes;
}

function numberOf(database: Database, pragma: string): number {
  return Number(database.pragma(pragma, { simple: true }));
}
