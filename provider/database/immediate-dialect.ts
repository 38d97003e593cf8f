import { SqliteDialect, SqliteDriver, type Driver, type SqliteDatabase } from 'kysely';

/**
 * SQLite with transactions that take the write lock at once. One that began as
 * a reader could not wait for the command line, which writes to the same file:
 * SQLite refuses to turn a stale reader into a writer.
 */
export class ImmediateDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): Driver {
    return new ImmediateDriver(this.#database);
  }
}

/** Begins and ends transactions by bare statements: every change does, and a query of Kysely's costs more than they do. */
class ImmediateDriver extends SqliteDriver {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override async beginTransaction(): Promise<void> {
    this.#run('begin immediate');
  }

  override async commitTransaction(): Promise<void> {
    this.#run('commit');
  }

  override async rollbackTransaction(): Promise<void> {
    this.#run('rollback');
  }

  #run(sql: string): void {
    this.#database.prepare(sql).run([]);
  }
}
