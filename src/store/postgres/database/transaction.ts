import type { Kysely } from 'kysely';
import type pg from 'pg';
import { createSession, type Session } from '../sql/session.ts';
import type { PostgresSchema } from './postgres-schema.ts';
import { isTransient, storeError, unconfirmed, type Notice } from './store-error.ts';

/**
 * Runs work in a transaction of its own (read committed), and returns after the commit.
 *
 * The work may run again from its start, after a deadlock for example: it changes nothing but the database.
 *
 * @throws PortariaError `store-full`, `store-busy`, `store-read-only`, `store-failed`: nothing was stored
 */
export type Transact = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

/** How often a transaction is tried that collided with another one. */
const MAX_ATTEMPTS = 5;

/** A process that is frozen inside a transaction loses its locks after this time. */
const begin = `begin; set local idle_in_transaction_session_timeout = '5s'; set local lock_timeout = '10s';
set local statement_timeout = '30s'`;

/**
 * For transactions that look up each row by an index, whatever the planner believes of a table that was empty
 * when it was last analyzed.
 */
export const BY_INDEX = `set local enable_hashjoin = off; set local enable_mergejoin = off;
set local enable_seqscan = off; set local enable_material = off; set local jit = off`;

interface TransactOptions {
  readonly builder: Kysely<PostgresSchema>;
  readonly location: string;
  /** Further settings of each transaction. */
  readonly settings?: string;
}

export function createTransact(
  pool: pg.Pool,
  { builder, location, settings = '' }: TransactOptions,
): Transact {
  async function once<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let broken = false;
    // Statements that travel together fail after the first one of them, and can be reported before it.
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
      // The first statement of the work does not wait for it; when it fails, so does the statement.
      const begun = client.query(`${begin}; ${settings}`);
      begun.catch(onError);
      const session = createSession(client, builder);
      const value = await work(noticing(session, (error) => (failure ??= error)));
      await begun;
      client.on('notice', onNotice);
      await client.query('commit');
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

  return async (work) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(work);
      } catch (error) {
        if (attempt < MAX_ATTEMPTS && isTransient(error)) continue;
        throw storeError(error, location);
      }
    }
  };
}

/** Returns the session, and reports its errors in the order in which they arrive. */
function noticing(session: Session, onError: (error: unknown) => void): Session {
  const noticed = <T>(result: Promise<T>): Promise<T> =>
    result.catch((error: unknown) => {
      onError(error);
      throw error;
    });
  return {
    rows: (query) => noticed(session.rows(query)),
    first: (query) => noticed(session.first(query)),
    run: (query) => noticed(session.run(query)),
  };
}

/** Returns a session that runs each query in a transaction of its own. */
export function sessionOf(transact: Transact): Session {
  return {
    rows: (query) => transact((session) => session.rows(query)),
    first: (query) => transact((session) => session.first(query)),
    run: (query) => transact((session) => session.run(query)),
  };
}
