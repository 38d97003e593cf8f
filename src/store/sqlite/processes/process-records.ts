/** Stores and reads which process runs, with its handlers. */
import type { HandlerProcess, KnownDefinition, Processes, RunningProcess } from '../../processes.ts';
import type { StoreTotals } from '../../queries.ts';
import { definitionsOf, processesOf } from '../../shared/process-record.ts';
import type { Connection } from '../sql/connection.ts';
import { runNow } from '../sql/statement.ts';

/** Writes the records of processes. Called inside a transaction. */
export interface ProcessWrites {
  register(process: HandlerProcess, definitions: readonly KnownDefinition[]): void;
  unregister(id: string): void;
}

export function createProcessWrites({ database, query }: Connection): ProcessWrites {
  return {
    register({ id, host, pid, version, startedAt, handlers }, definitions) {
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
      runNow(database, query.deleteFrom('known_definitions'));
      for (const { type, name, source, origin, hash } of definitions)
        runNow(
          database,
          query.insertInto('known_definitions').values({ type, name, source: source ?? '', origin, hash }),
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

/** A file has one process, which runs all that runs. */
export function runningProcesses(
  processes: readonly HandlerProcess[],
  { byHandler }: Pick<StoreTotals, 'byHandler'>,
): readonly RunningProcess[] {
  const inFlight = byHandler.reduce((sum, { running }) => sum + running, 0);
  return processes.map(({ host, pid, version, startedAt }) => ({
    ...{ host, pid, version, startedAt, seenAt: null, leads: true, inFlight },
  }));
}

/** Reads the records of processes, whether these still run or not. */
export function createProcessReads({
  query,
}: Pick<Connection, 'query'>): Pick<Processes, 'processes' | 'knownDefinitions'> {
  return {
    async processes() {
      const rows = await query.selectFrom('processes').selectAll().orderBy('started_at', 'desc').execute();
      return processesOf(rows);
    },
    async knownDefinitions() {
      const rows = await query.selectFrom('known_definitions').selectAll().execute();
      return definitionsOf(rows);
    },
  };
}
