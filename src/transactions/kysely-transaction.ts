/** Transactions of Kysely, on PostgreSQL or SQLite. */
import { transactionMark } from '../handle/define/marks.ts';
import { DONE_BEFORE, type Transaction } from '../handle/define/transaction.ts';
import { boundWaits, inSavepoint, insertKey, keyIsHeld, LOOK, UNBOUND_LOCKS, unknownCommit } from './keys.ts';

interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly query: {
    readonly kind: 'RawNode';
    readonly sqlFragments: readonly string[];
    readonly parameters: readonly [];
  };
  readonly queryId: { readonly queryId: string };
}

interface Executor {
  executeQuery(statement: Statement): Promise<{ readonly rows: readonly unknown[] }>;
}

/** What is used of a `Kysely`, of any version that is new enough for it. */
export interface KyselyDatabase<Tx extends Executor> extends Executor {
  transaction(): { execute<T>(work: (tx: Tx) => Promise<T>): Promise<T> };
}

/**
 * Runs a handler in a transaction of Kysely. `tx` is Kysely's `Transaction`: build and run the queries with it.
 *
 * ```ts
 * export default defineHandler({
 *   name: 'ledger',
 *   on: 'charge.updated',
 *   transaction: kyselyTransaction(db),
 *   async handle({ data }, { tx }) {
 *     await tx.insertInto('entries').values({ charge: data.id, amount: data.amount }).execute();
 *   },
 * });
 * ```
 *
 * The table of `portaria transactions ddl --for pg` or `--for sqlite` must exist in the database.
 */
export function kyselyTransaction<Tx extends Executor>(db: KyselyDatabase<Tx>): Transaction<Tx> {
  let isPostgres: Promise<boolean> | undefined;

  async function asksPostgres(): Promise<boolean> {
    try {
      await db.executeQuery(statement("select current_setting('server_version')"));
      return true;
    } catch (error) {
      if (error instanceof Error && error.message.includes('no such function')) return false;
      // The database is away: the next run asks again.
      isPostgres = undefined;
      throw error;
    }
  }

  return {
    [transactionMark]: true,
    isSynchronous: false,
    connections: null,
    check: () => db.executeQuery(statement(LOOK)),
    async once(key, work, { idleMs }) {
      const onPostgres = await (isPostgres ??= asksPostgres());
      let isCommitting = false;
      const done = db.transaction().execute(async (tx) => {
        const run = (sql: string, parameters?: readonly unknown[]) =>
          tx.executeQuery(statement(sql, parameters));
        for (const wait of onPostgres ? boundWaits(idleMs) : []) await run(wait);
        const placeholder = onPostgres ? '$1' : '?';
        const insert = `${insertKey(placeholder)} returning key`;
        const { rows } = await run(insert, [key]).catch(keyIsHeld);
        if (rows.length === 0) return DONE_BEFORE;
        if (onPostgres) await run(UNBOUND_LOCKS);
        const value = await inSavepoint(run, [placeholder, key], async () => work(tx));
        isCommitting = true;
        return value;
      });
      return done.catch((error: unknown) => {
        if (onPostgres && isCommitting) unknownCommit(error);
        throw error;
      });
    },
  };
}

function statement(sql: string, parameters: readonly unknown[] = []): Statement {
  return {
    ...{ sql, parameters },
    query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
    queryId: { queryId: 'portaria' },
  };
}
