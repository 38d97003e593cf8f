import { FIRST_OF_LANES, LOCK_LANES, transact } from './tables.mjs';

/**
 * As the store in PostgreSQL does it: the head of a lane has a time when it is due, and an index finds it.
 *
 * @param {import('pg').Pool} pool
 * @returns {Promise<import('./tables.mjs').Engine>}
 */
export async function rowsEngine(pool) {
  await pool.query('create index work_due on work (due_at, id) where head = 1');
  return {
    accept: (lanes) =>
      transact(pool, async (client) => {
        const ids = [...new Set(lanes)];
        const locked = client.query(LOCK_LANES, [ids]);
        const { rows } = await client.query(FIRST_OF_LANES, [ids]);
        await locked;
        const occupied = new Set(rows.map(({ lane }) => lane));
        const heads = lanes.map((lane) => {
          const isHead = !occupied.has(lane);
          occupied.add(lane);
          return isHead ? 1 : 0;
        });
        await client.query(
          `insert into work (lane, head, due_at)
          select lane, head, case head when 1 then $3::bigint end from unnest($1::bigint[], $2::smallint[]) as new (lane, head)`,
          [lanes, heads, Date.now()],
        );
      }),
    async claim(most) {
      const { rows } = await pool.query(
        `with chosen as (
          select id from work where head = 1 and due_at <= $1 order by due_at, id limit $2 for update skip locked
        )
        update work set status = 1, head = 0, due_at = null, holder = 1 from chosen where work.id = chosen.id
        returning work.id::float8 as id, work.lane::float8 as lane`,
        [Date.now(), most],
      );
      return rows;
    },
    finish: (running) =>
      transact(pool, async (client) => {
        const lanes = running.map(({ lane }) => lane);
        const locked = client.query(LOCK_LANES, [lanes]);
        const ended = client.query(
          'update work set status = 2, holder = null where id = any($1::bigint[]) and status = 1 and holder = 1',
          [running.map(({ id }) => id)],
        );
        const { rows } = await client.query(FIRST_OF_LANES, [lanes]);
        await locked;
        if ((await ended).rowCount !== running.length) throw new Error('an event was not in flight');
        if (rows.length > 0)
          await client.query('update work set status = 1, holder = 1 where id = any($1::bigint[])', [
            rows.map(({ id }) => id),
          ]);
        return rows;
      }),
    stop: async () => undefined,
  };
}
