/**
 * An event in flight. `job` is the id of the lane's job, where it has one.
 *
 * @typedef {{ id: number, lane: number, job?: string }} Started
 *
 * @typedef {object} Engine
 * @property {(lanes: readonly number[]) => Promise<void>} accept stores an event of each lane
 * @property {(most: number) => Promise<readonly Started[]>} claim
 * @property {(running: readonly Started[]) => Promise<readonly Started[]>} finish returns the following events of the
 *   lanes, which go on
 * @property {() => Promise<void>} stop
 */

/**
 * Lanes, and what happens in them, as few columns as the question needs.
 *
 * @param {import('pg').Pool} pool
 * @param {number} lanes
 */
export async function createTables(pool, lanes) {
  await pool.query(`
    create table lanes (id bigint primary key, scheduled boolean not null default false) with (fillfactor = 80);
    create table work (
      id bigint generated always as identity primary key,
      lane bigint not null,
      status smallint not null default 0,
      head smallint not null default 0,
      due_at bigint,
      holder bigint
    ) with (fillfactor = 80);
    create index work_waiting on work (lane, id) where status < 2`);
  await pool.query('insert into lanes (id) select generate_series(1, $1)', [lanes]);
  await pool.query('vacuum analyze lanes');
}

/**
 * Runs work in a transaction. Its first statement does not wait for the begin.
 *
 * @template T
 * @param {import('pg').Pool} pool
 * @param {(client: import('pg').PoolClient) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function transact(pool, work) {
  const client = await pool.connect();
  try {
    const begun = client.query('begin');
    const value = await work(client);
    await begun;
    await client.query('commit');
    return value;
  } finally {
    client.release();
  }
}

/** The first unfinished event of each lane. $1: lanes */
export const FIRST_OF_LANES = `
  select first.id::float8 as id, wanted.lane::float8 as lane
  from unnest($1::bigint[]) as wanted (lane)
  cross join lateral (
    select id from work where work.lane = wanted.lane and status < 2 order by work.lane, work.id limit 1
  ) as first`;

/** Locks lanes in one order. $1: lanes */
export const LOCK_LANES = `
  select id::float8 as id, scheduled from lanes where id = any($1::bigint[]) order by id for no key update`;
