/** The numbers that PostgreSQL has in its own way. */
import { sql } from 'kysely';
import type { OwnNumbers } from '../../shared/statistics/read-statistics.ts';
import { freeBytes, oldestBodyAt } from '../retention/space.ts';
import type { Connection } from '../sql/connection.ts';

export function ownNumbers(connection: Connection): OwnNumbers {
  const { read, storeId, limits } = connection;
  return {
    storeId,
    ...limits,
    async countSubjects() {
      const row = await read.first(
        sql<{ rows: number }>`select coalesce(sum(rows), 0) as rows from row_counts where name = 'subjects'`,
      );
      return row?.rows ?? 0;
    },
    async space() {
      const row = await read.first(
        sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`,
      );
      return { bytes: row?.bytes ?? 0, freeBytes: await freeBytes(connection), givesBackSpace: true };
    },
    oldestBodyAt: () => oldestBodyAt(connection),
  };
}
