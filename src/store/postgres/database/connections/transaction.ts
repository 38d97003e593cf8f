/** Runs work in a transaction: begin, statements, counts, commit, and again after a collision. */
import { sql, type Kysely } from 'kysely';
import type pg from 'pg';
import { createSession, type Session } from '../../sql/session.ts';
import type { StatementNames } from '../../sql/statement-names.ts';
import { createCountChanges, type CountChanges } from '../../statistics/count-changes.ts';
import type { PostgresSchema } from '../tables/postgres-schema.ts';
import { isTransient, storeError, unconfirmed, type Notice } from './store-error.ts';

/** What an operation works on: a session inside a transaction, and the counts that the transaction changes. */
export interface Transaction {
  readonly session: Session;
  /** They are written before the commit. */
  readonly counts: CountChanges;
  /**
   * Takes the promise of statements that the work does not await: the commit is sent right behind them, and fails with
   * them. Send them all before the work returns. A statement that fails before it is sent fails the transaction, too.
   */
  readonly unawaited: (writes: Promise<unknown>) => void;
}

/**
 * Runs work in a transaction of its own (read committed), and returns after the commit.
 *
 * The work need not await its last statements (see {@link Transaction.unawaited}): the commit is pipelined after them, and fails
 * with them.
 *
 * The work may run again from its start, after a deadlock for example: it changes nothing but the database.
 *
 * @throws PortariaError `store-full`, `store-read-only`, `store-failed`: nothing was stored; `store-busy`: it may have
 *   been stored all the same, when the response to the commit was lost or no standby confirmed it
 */
export type Transact = <T>(
  work: (transaction: Transaction) => Promise<T>,
  options?: TransactionOptions,
) => Promise<T>;

export interface TransactionOptions {
  /** Milliseconds that each wait for a lock may take; 10,000 by default. */
  readonly lockWaitMs?: number;
  /**
   * Whether named statements are planned once in a connection. Otherwise PostgreSQL plans some of them for each
   * execution, which can take six times as long as to run them. Not for a statement that reads the partitions of some
   * days: a plan that is kept locks those of all days.
   */
  readonly plansOnce?: boolean;
}

/** How often a transaction is tried that collided with another one. */
const MAX_ATTEMPTS = 5;

/**
 * The locks of lanes and subjects need read committed, whatever the default of the database: what was read before a lock
 * is read again after it. A process that is frozen inside a transaction loses its locks after the idle timeout.
 */
const begin = ({ lockWaitMs = 10_000 }: TransactionOptions): string =>
  `begin isolation level read committed; set local idle_in_transaction_session_timeout = '5s';
set local lock_timeout = ${String(lockWaitMs)}; set local statement_timeout = '30s'`;

/**
 * For transactions that look up each row by an index, whatever the planner believes of a table that was empty
 * when it was last analyzed.
 */
export const BY_INDEX = `set local enable_hashjoin = off; set local enable_mergejoin = off;
set local enable_seqscan = off; set local enable_material = off; set local jit = off`;

const PLANNED_ONCE = '; set local plan_cache_mode = force_generic_plan';

/** For accepting: a sender waits for it, and less long than others. */
export const ACCEPTING_SETTINGS = `${BY_INDEX}; set local statement_timeout = '8s'`;

/**
 * Returns the setting by which a commit waits for the disk although the user or the database has it otherwise; '' where
 * it waits anyway, if only for a standby.
 */
export async function waitingForDisk(session: Session): Promise<string> {
  const row = await session.first(
    sql<{ isOff: boolean }>`select current_setting('synchronous_commit') = 'off' as "isOff"`,
  );
  return row?.isOff === true ? '; set local synchronous_commit = on' : '';
}

export interface CreateTransactOptions {
  readonly builder: Kysely<PostgresSchema>;
  readonly location: string;
  /** Further settings of each transaction. */
  readonly settings?: string;
  /** Names of its statements; none by default. */
  readonly names?: StatementNames;
}

export function createTransact(
  pool: pg.Pool,
  { builder, location, settings = '', names }: CreateTransactOptions,
): Transact {
  async function once<T>(
    work: (transaction: Transaction) => Promise<T>,
    options: TransactionOptions,
  ): Promise<T> {
    const client = await pool.connect();
    let broken = false;
    // Pipelined statements fail after the first one that fails, and can be reported before it.
    let failure: unknown;
    // A connection that ends between two queries reports it here; the next query fails.
    const onError = () => {
      broken = true;
    };
    client.on('error', onError);
    // A commit that waits for a standby in vain for as long as a statement may take succeeds, with a warning.
    let warning: Error | undefined;
    const onNotice = (notice: Notice) => {
      warning ??= unconfirmed(notice);
    };
    try {
      // Sent without waiting. If `begin` fails, the next statement fails too.
      const planned = names !== undefined && options.plansOnce === true ? PLANNED_ONCE : '';
      const begun = client.query(`${begin(options)}; ${settings}${planned}`);
      begun.catch(onError);
      const onFailure = (error: unknown) => (failure ??= error);
      const unawaited = (writes: Promise<unknown>) => void writes.catch(onFailure);
      const { session, end } = watched(createSession(client, builder, names), onFailure);
      const counts = createCountChanges();
      const value = await work({ session, counts, unawaited });
      unawaited(counts.write(session));
      client.on('notice', onNotice);
      const sent = end();
      // A statement that could not even be sent has failed by now, and the server knows nothing of it.
      await Promise.resolve();
      if (failure !== undefined) throw new Error('a statement was not sent', { cause: failure });
      const [{ command }] = await Promise.all([client.query('commit'), begun, ...sent]);
      // A transaction that has failed answers a commit with a rollback.
      if (command !== 'COMMIT') throw new Error('PostgreSQL has rolled the transaction back');
      if (warning !== undefined) throw warning;
      return value;
    } catch (error) {
      await client.query('rollback').catch(onError);
      throw failure ?? error;
    } finally {
      client.off('error', onError);
      client.off('notice', onNotice);
      client.release(broken);
    }
  }

  return async (work, options = {}) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(work, options);
      } catch (error) {
        const isWithoutNames = names?.endAfter(error) === true;
        if (attempt < MAX_ATTEMPTS && (isWithoutNames || isTransient(error))) continue;
        throw storeError(error, location);
      }
    }
  };
}

/**
 * Returns the session, reports its errors in the order in which they arrive, and remembers its statements.
 *
 * @returns `end` is called before the commit: it returns the statements, and no further one is sent
 */
function watched(
  session: Session,
  onError: (error: unknown) => void,
): { readonly session: Session; readonly end: () => readonly Promise<unknown>[] } {
  const sent: Promise<unknown>[] = [];
  let ended = false;
  function watch<T>(send: () => Promise<T>): Promise<T> {
    if (ended) return Promise.reject(new Error('a statement came after the commit of its transaction'));
    const noticed = send().catch((error: unknown) => {
      onError(error);
      throw error;
    });
    sent.push(noticed);
    noticed.catch(() => undefined);
    return noticed;
  }
  return {
    session: {
      rows: (query) => watch(() => session.rows(query)),
      first: (query) => watch(() => session.first(query)),
      run: (query) => watch(() => session.run(query)),
    },
    end() {
      ended = true;
      return sent;
    },
  };
}

/** Returns a session that runs each query in a transaction of its own. The commit is pipelined after the query. */
export function sessionOf(transact: Transact): Session {
  async function alone<T>(query: (session: Session) => Promise<T>): Promise<T> {
    const sent = await transact(async ({ session, unawaited }) => {
      const result = query(session);
      unawaited(result);
      return { result };
    });
    return sent.result;
  }
  return {
    rows: (query) => alone((session) => session.rows(query)),
    first: (query) => alone((session) => session.first(query)),
    run: (query) => alone((session) => session.run(query)),
  };
}
