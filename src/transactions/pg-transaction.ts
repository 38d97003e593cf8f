/** Transactions of `pg`, the driver of PostgreSQL. */
import { DONE_BEFORE, type Transaction } from '../handle/define/transaction.ts';
import { transactionMark } from '../handle/define/marks.ts';
import { boundWaits, inSavepoint, insertKey, keyIsHeld, LOOK, UNBOUND_LOCKS, unknownCommit } from './keys.ts';

/** What is used of a client that a pool of `pg` lends. */
export interface PgClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rowCount: number | null }>;
  release(error?: Error | boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}

/** What is used of a pool of `pg`. */
export interface PgPool<Client extends PgClient> {
  connect(): Promise<Client>;
  readonly options?: { readonly max?: number | undefined };
}

/**
 * Runs a handler in a transaction of a `Pool` of `pg`. `tx` is the client that the transaction has: send the statements
 * through it, and neither end the transaction nor release the client.
 *
 * ```ts
 * export default defineHandler({
 *   name: 'ledger',
 *   on: 'charge.updated',
 *   transaction: pgTransaction(pool),
 *   async handle({ data }, { tx }) {
 *     await tx.query('insert into entries (charge, amount) values ($1, $2)', [data.id, data.amount]);
 *   },
 * });
 * ```
 *
 * The table of `portaria transactions ddl --for pg` must exist in the schema that the pool's connections see first.
 */
export function pgTransaction<Client extends PgClient>(pool: PgPool<Client>): Transaction<Client> {
  /** A connection that ends while nothing runs on it emits an error, which would end the process without a listener. */
  async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let lost: Error | undefined;
    const lose = (error: Error): void => {
      lost = error;
    };
    client.on('error', lose);
    try {
      return await work(client);
    } catch (error) {
      await client.query('rollback').catch(lose);
      throw error;
    } finally {
      client.off('error', lose);
      client.release(lost);
    }
  }

  return {
    [transactionMark]: true,
    isSynchronous: false,
    connections: pool.options?.max ?? null,
    check: () => withClient((client) => client.query(LOOK)),
    once: (key, work, { idleMs }) =>
      withClient(async (client) => {
        await client.query(['begin', ...boundWaits(idleMs)].join('; '));
        const { rowCount } = await client.query(insertKey('$1'), [key]).catch(keyIsHeld);
        if (rowCount === 0) {
          await client.query('rollback');
          return DONE_BEFORE;
        }
        await client.query(UNBOUND_LOCKS);
        const run = (sql: string, values?: readonly string[]) => client.query(sql, values?.slice());
        const value = await inSavepoint(run, ['$1', key], async () => work(client));
        await client.query('commit').catch(unknownCommit);
        return value;
      }),
  };
}
