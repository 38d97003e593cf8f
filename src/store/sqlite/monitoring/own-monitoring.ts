/** What monitoring has in a file alone: one process serves, so breakers and alerts name no process. */
import { sql, type Selectable } from 'kysely';
import type { Monitoring, OpenBreaker } from '../../monitoring.ts';
import { rowId, rowOf } from '../../shared/ids.ts';
import { createMonitoringReads } from '../../shared/monitoring/monitoring-reads.ts';
import type { ProcessRecords } from '../../shared/monitoring/record-monitoring.ts';
import type { SharedConnection } from '../../shared/sql/connection.ts';
import { run } from '../../shared/sql/statements.ts';
import type { DatabaseSchema } from '../../shared/tables.ts';

export function createMonitoring(connection: SharedConnection): Omit<Monitoring, 'recordMonitoring'> {
  const { read } = connection;
  return {
    ...createMonitoringReads(connection, {
      counted: {
        kinds: 'event_counts',
        async completeThrough() {
          const newest = await read.first(sql<{ id: number | null }>`select max(id) as id from events`);
          return newest?.id ?? 0;
        },
      },
      readBreakers: () => read.rows(sql<OpenBreaker>`select * from open_breakers order by handler`),
    }),
    serverMove: () => Promise.resolve(null),
    async nextAlert() {
      const row = await read.first(
        sql<Selectable<DatabaseSchema['alerts']>>`select * from alerts order by id limit 1`,
      );
      if (row === undefined) return null;
      const { id, body, attempts, due_at: dueAt, last_error: lastError } = row;
      return { id: rowId('a', id), body, attempts, dueAt, lastError };
    },
  };
}

export function createProcessRecords({ dialect }: SharedConnection): ProcessRecords {
  return {
    *replaceBreakers({ open, now }) {
      const handlers = open.map(({ handler }) => handler);
      yield* run(sql`delete from open_breakers where not ${dialect.isAnyOf('handler', handlers, 'text')}`);
      for (const { handler, until, reason } of open)
        yield* run(sql`
          insert into open_breakers (handler, since, until, reason) values (${handler}, ${now}, ${until}, ${reason})
          on conflict (handler) do update set until = excluded.until, reason = excluded.reason`);
      return true;
    },
    *alertFailed({ id, dueAt, reason }) {
      const changed = yield* run(sql`
        update alerts set attempts = attempts + 1, due_at = ${dueAt}, last_error = ${reason}
        where id = ${rowOf('a', id) ?? 0}`);
      return changed > 0;
    },
  };
}
