import type { HandlerProcess, Processes, RecordedHandler } from '../../processes.ts';
import type { Connection } from '../sql/connection.ts';
import { runNow } from '../sql/statement.ts';

/** Writes the records of processes. Called inside a transaction. */
export interface ProcessWrites {
  register(process: HandlerProcess): void;
  unregister(id: string): void;
}

export function createProcessWrites({ database, query }: Connection): ProcessWrites {
  return {
    register({ id, host, pid, version, startedAt, handlers }) {
      // A file has one owner at a time: all others have ended.
      runNow(database, query.deleteFrom('processes').where('id', '<>', id));
      runNow(
        database,
        query
          .insertInto('processes')
          .values({
            id,
            host,
            pid,
            version,
            started_at: startedAt,
            handlers: JSON.stringify(handlers),
          })
          .onConflict((conflict) => conflict.column('id').doNothing()),
      );
    },
    unregister(id) {
      runNow(database, query.deleteFrom('processes').where('id', '=', id));
    },
  };
}

/** Removes what a process that was killed has left. Called by the next owner of the file. */
export function forgetProcesses({ database, query }: Connection): void {
  runNow(database, query.deleteFrom('processes'));
}

/** Reads the records of processes, whether these still run or not. */
export function createProcessReads({ query }: Connection): Pick<Processes, 'processes'> {
  return {
    async processes() {
      const rows = await query.selectFrom('processes').selectAll().orderBy('started_at', 'desc').execute();
      return rows.map(({ started_at, handlers, ...row }) => ({
        ...row,
        startedAt: started_at,
        handlers: JSON.parse(handlers) as RecordedHandler[],
      }));
    },
  };
}
