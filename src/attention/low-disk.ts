/** Finds a store whose disk is nearly full, before it is. */
import { statfs } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { isPostgresAddress } from '../kernel/postgres-address.ts';
import type { OperatorProblem } from './problem.ts';

/** The problem ends above this multiple of the bound, so that a disk at the bound is reported once. */
const ROOM_TO_END = 1.1;

/**
 * Returns the problem of a low disk, if it is one. Never rejects.
 *
 * @param isLow whether it was at the last look
 */
export type FindLowDisk = (isLow?: boolean) => Promise<readonly OperatorProblem[]>;

/** Nothing is found of a store in PostgreSQL, whose disk belongs to its server, and in memory. */
export function createFindLowDisk(
  { database, diskLow }: Pick<Config, 'database' | 'diskLow'>,
  look: (path: string) => Promise<{ bavail: number; blocks: number; bsize: number }> = statfs,
): FindLowDisk {
  return async (isLow = false) => {
    if (isPostgresAddress(database) || database === ':memory:') return [];
    const disk = await look(database).catch(() => null);
    if (disk === null) return [];
    const free = disk.bavail * disk.bsize;
    const least = Math.max(diskLow.bytes, diskLow.share * disk.blocks * disk.bsize);
    if (free >= least * (isLow ? ROOM_TO_END : 1)) return [];
    const facts = { about: 'disk-low' as const, freeBytes: free, share: disk.bavail / disk.blocks };
    return [
      {
        problem: 'disk-low',
        of: null,
        since: null,
        summary: `the disk of the store has ${String(Math.floor(free / 2 ** 20))} MiB free (${(100 * facts.share).toFixed(1)} %): ${free < 2 ** 20 ? 'webhooks may get 503' : 'once it is full, webhooks get 503'}`,
        remedy:
          'make room or enlarge the disk; `portaria events prune` and PORTARIA_KEEP_EVENTS remove old events',
        facts,
      },
    ];
  };
}
