import type { HandlerProcess, KnownDefinition, Processes, RecordedHandler } from '../../processes.ts';
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

/** Reads the records of processes, whether these still run or not. */
export function createProcessReads({
  query,
}: Pick<Connection, 'query'>): Pick<Processes, 'processes' | 'knownDefinitions'> {
  return {
    async processes() {
      const rows = await query.selectFrom('processes').selectAll().orderBy('started_at', 'desc').execute();
      return rows.flatMap(({ started_at, handlers: text, ...row }) => {
        const handlers = recordedHandlers(text);
        return handlers === null ? [] : [{ ...row, startedAt: started_at, handlers }];
      });
    },
    async knownDefinitions() {
      const rows = await query.selectFrom('known_definitions').selectAll().execute();
      return rows.map(({ source, ...row }) => ({ ...row, source: source === '' ? null : source }));
    },
  };
}

/** A broken record must not stop the commands that read it. Null: it is none of this version's records. */
function recordedHandlers(text: string): readonly RecordedHandler[] | null {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) && found.every(isRecordedHandler) ? found : null;
  } catch {
    return null;
  }
}

function isRecordedHandler(value: unknown): value is RecordedHandler {
  if (typeof value !== 'object' || value === null) return false;
  const { name, type, on, order, retry, breaker, effects } = value as Partial<Record<string, unknown>>;
  return (
    typeof name === 'string' &&
    (type === 'handler' || type === 'machine') &&
    isTexts(on) &&
    typeof order === 'string' &&
    typeof retry === 'object' &&
    retry !== null &&
    typeof breaker === 'object' &&
    breaker !== null &&
    isTexts(effects)
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
