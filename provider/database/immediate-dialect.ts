/** Transactions of Kysely that take SQLite's write lock when they begin. */
import { SqliteDialect, SqliteDriver, type Driver, type SqliteDatabase } from 'kysely';

/**
 * Kysely's SQLite dialect with immediate transactions. A deferred transaction fails when
 * another process (a command) writes between its first read and its first write.
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

/** Runs the transaction statements directly: Kysely has no hook for `begin immediate`. */
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
