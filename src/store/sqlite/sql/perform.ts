/** Runs writes that are written for both databases, in one go inside a transaction. */
import type { PerformedWrites, Step, Write } from '../../shared/sql/statements.ts';
import type { Connection } from './connection.ts';

type Performer = Pick<Connection, 'database' | 'query'>;

/** Runs a write to its end. Called inside a transaction. */
export function perform<T>(connection: Performer, write: Write<T>): T {
  let next = write.next();
  while (next.done !== true) next = write.next(resultOf(connection, next.value));
  return next.value;
}

/** The methods of an object of writes. Called inside a transaction. */
export function performed<W extends object>(connection: Performer, writes: W): PerformedWrites<W> {
  const methods = Object.entries(writes).map(
    ([name, write]: [string, (...all: unknown[]) => Write<unknown>]) => [
      name,
      (...parameters: unknown[]) => perform(connection, write(...parameters)),
    ],
  );
  return Object.fromEntries(methods) as PerformedWrites<W>;
}

function resultOf({ database, query }: Performer, step: Step): unknown {
  if (step.is === 'own') throw new Error('a step of PostgreSQL came to SQLite');
  const { sql: text, parameters } = step.query.compile(query);
  const statement = database.prepare(text);
  if (step.is === 'rows') return statement.all(...parameters);
  return statement.reader ? statement.all(...parameters).length : statement.run(...parameters).changes;
}
