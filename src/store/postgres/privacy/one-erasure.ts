/** Lets one process at a time erase a person. */
import type pg from 'pg';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Privacy } from '../../privacy.ts';
import { applicationName } from '../database/connections/application-name.ts';
import { storeError } from '../database/connections/store-error.ts';
import { ERASURE_LOCK } from '../sql/advisory-locks.ts';

/** Whose connection has the lock. */
const HOLDER = `select application_name as name from pg_stat_activity join pg_locks using (pid)
  where locktype = 'advisory' and granted and classid = $1 and objid = 0
    and pg_locks.database = (select oid from pg_database where datname = current_database())`;

/**
 * Keeps erasures of several processes apart, by a transaction that stays open and idle: PostgreSQL ends it with its
 * process, and a pooler leaves it its connection.
 */
export function createOneErasure(pool: pg.Pool, location: string): Pick<Privacy, 'eraseAlone'> {
  async function lock(client: pg.PoolClient): Promise<void> {
    await client.query(
      'begin isolation level read committed; set local idle_in_transaction_session_timeout = 0',
    );
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_xact_lock($1, 0) as taken',
      [ERASURE_LOCK],
    );
    if (rows[0]?.taken === true) {
      await client.query(`set local application_name = '${applicationName('erase').replaceAll("'", '?')}'`);
      return;
    }
    const holders = await client.query<{ name: string }>(HOLDER, [ERASURE_LOCK]);
    const holder = holders.rows[0]?.name.replace(/^portaria \w+ /u, '') ?? 'another process';
    throw new PortariaError(
      'invalid-argument',
      `An erasure runs already (${holder}): start this one after it`,
    );
  }

  return {
    async eraseAlone(work) {
      const client = await pool.connect().catch((error: unknown) => {
        throw storeError(error, location);
      });
      let broken = false;
      try {
        await lock(client).catch((error: unknown) => {
          throw storeError(error, location);
        });
        return await work();
      } finally {
        await client.query('rollback').catch(() => {
          broken = true;
        });
        client.release(broken);
      }
    },
  };
}
