/** The numbers that a file has in its own way. */
import { statSync } from 'node:fs';
import { sql } from 'kysely';
import type { OwnNumbers } from '../../shared/statistics/read-statistics.ts';
import type { StoreLimits } from '../commit/write-operations.ts';
import { freeSpace } from '../retention/space.ts';
import type { Connection } from '../sql/connection.ts';

export function ownNumbers(
  { database, read }: Connection,
  about: { readonly storeId: string } & StoreLimits,
): OwnNumbers {
  return {
    ...about,
    /** Subjects are never deleted and numbered without gaps: the last number is their count. */
    async countSubjects() {
      const last = await read.first(sql<{ id: number | null }>`select max(id) as id from subjects`);
      return last?.id ?? 0;
    },
    async space() {
      const free = freeSpace(database);
      const pages = database.pragma('page_count', { simple: true }) as number;
      const pageSize = database.pragma('page_size', { simple: true }) as number;
      const log = statSync(`${database.name}-wal`, { throwIfNoEntry: false })?.size ?? 0;
      return { bytes: pages * pageSize + log, freeBytes: free.bytes, givesBackSpace: free.inSteps };
    },
    async oldestBodyAt() {
      const oldest = await read.first(sql<{ at: number }>`
        select received_at as at from events
        where id >= (select first_body from retention where id = 1) and body is not null order by id limit 1`);
      return oldest?.at ?? null;
    },
  };
}
