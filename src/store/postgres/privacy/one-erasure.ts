/** Lets one process at a time erase a person. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import type pg from 'pg';
import { PortariaError } from '../../../kernel/errors.ts';
import type { ErasingProcess, ErasureLock, Privacy } from '../../privacy.ts';
import { erasureRefused } from '../../shared/privacy/erasure-ledger.ts';
import { applicationName } from '../database/connections/client.ts';
import { RESPONSE_TIMEOUT_MS } from '../database/connections/pools.ts';
import { storeError } from '../database/connections/store-error.ts';
import { ERASURE_LOCK } from '../sql/advisory-locks.ts';
import type { Session } from '../sql/session.ts';

const PURPOSE = 'erase';

/** Whole milliseconds, so that everyone reads the same number for one instant. */
const milliseconds = (instant: string): string => `floor(extract(epoch from ${instant}) * 1000)::bigint`;

/** Whose connection has the lock, and since when. The start is null for a user who may not see other users' sessions. */
const HOLDER = `select application_name as name, ${milliseconds('xact_start')} as since
  from pg_stat_activity join pg_locks using (pid)
  where locktype = 'advisory' and granted and classid = $1 and objid = 0
    and pg_locks.database = (select oid from pg_database where datname = current_database())`;

/** The transaction that has the lock. Its number is given to no other one of the same server process. */
const OWN_TRANSACTION = `select pid, virtualtransaction as transaction from pg_locks
  where pid = pg_backend_pid() and locktype = 'advisory' and classid = $1 and objid = 0`;

/** The lock under which work erases. */
interface HeldLock {
  readonly pid: number;
  readonly transaction: string;
  /** Ends the lock. */
  readonly lose: () => void;
}

/** The lock of the work that runs now; none outside of an erasure. */
const heldLock = new AsyncLocalStorage<HeldLock>();

/**
 * Checks in a transaction of an erasure that its lock is still held, as the server knows it: a connection that is cut
 * without a word looks as before to this process. Outside of an erasure there is nothing to check.
 *
 * @throws PortariaError `store-busy` when the lock is lost
 */
export async function requireErasureLock(session: Session): Promise<void> {
  const held = heldLock.getStore();
  if (held === undefined) return;
  const { pid, transaction, lose } = held;
  const row = await session.first(sql<{ isHeld: boolean }>`
    select exists (
      select from pg_locks
      where locktype = 'advisory' and granted and classid = ${ERASURE_LOCK} and objid = 0
        and pid = ${pid} and virtualtransaction = ${transaction}
    ) as "isHeld"`);
  if (row?.isHeld === true) return;
  lose();
  throw lockLost();
}

/**
 * Keeps erasures of several processes apart, by a transaction that stays open and idle: PostgreSQL ends it with its
 * process, and a pooler leaves it its connection. The name of the connection says whose it is.
 */
export function createOneErasure(pool: pg.Pool, location: string): Pick<Privacy, 'eraseAlone' | 'erasing'> {
  // It is part of a statement that takes no parameters.
  const name = applicationName(PURPOSE).replaceAll("'", '?');
  // A machine that is gone closes no connection: PostgreSQL asks whether it is there, and else keeps the lock for hours.
  const begin = `begin isolation level read committed; set local idle_in_transaction_session_timeout = 0;
    set local tcp_keepalives_idle = 10; set local tcp_keepalives_interval = 5; set local tcp_keepalives_count = 3;
    set local application_name = '${name}'`;

  async function takeLock(
    client: pg.PoolClient,
  ): Promise<Omit<HeldLock, 'lose'> & { readonly since: number }> {
    await client.query(begin);
    const { rows } = await client.query<{ taken: boolean; since: number }>(
      `select pg_try_advisory_xact_lock($1, 0) as taken, ${milliseconds('now()')} as since`,
      [ERASURE_LOCK],
    );
    const [own] = (await client.query<Omit<HeldLock, 'lose'>>(OWN_TRANSACTION, [ERASURE_LOCK])).rows;
    if (rows[0]?.taken === true && own !== undefined) return { ...own, since: rows[0].since };
    throw erasureRefused(await readEraser(client));
  }

  return {
    async eraseAlone(work) {
      const client = await pool.connect().catch((error: unknown) => {
        throw storeError(error, location);
      });
      const lost = new AbortController();
      const onLoss = (): void => lost.abort(lockLost());
      client.once('error', onLoss).once('end', onLoss);
      try {
        const { since, ...held } = await takeLock(client).catch((error: unknown) => {
          throw storeError(error, location);
        });
        const lock: ErasureLock = { process: processOf(name), since, signal: lost.signal };
        return await heldLock.run({ ...held, lose: onLoss }, () => work(lock));
      } finally {
        client.off('error', onLoss).off('end', onLoss);
        // A connection that is cut without a word would not answer for as long as a command may read.
        const rollback = { text: 'rollback', query_timeout: RESPONSE_TIMEOUT_MS.lease } as pg.QueryConfig;
        if (!lost.signal.aborted) await client.query(rollback).catch(onLoss);
        client.release(lost.signal.aborted);
      }
    },
    erasing: () =>
      readEraser(pool).catch((error: unknown) => {
        throw storeError(error, location);
      }),
  };
}

/** Returns the process that erases in the database of a connection; null when none does. */
async function readEraser(queries: Pick<pg.Pool, 'query'>): Promise<ErasingProcess | null> {
  const { rows } = await queries.query<{ name: string; since: number | null }>(HOLDER, [ERASURE_LOCK]);
  const [first] = rows;
  return first === undefined ? null : { process: processOf(first.name), since: first.since };
}

/** Host and process id, as the name of a connection ends. */
function processOf(name: string): string {
  return name.replace(/^portaria \w+ /u, '');
}

function lockLost(): PortariaError {
  return new PortariaError(
    'store-busy',
    'The connection that kept other erasures from starting was lost: what is erased stays erased. Start the same erasure again',
  );
}
