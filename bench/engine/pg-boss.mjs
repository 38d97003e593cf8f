import { PgBoss } from 'pg-boss';
import { FIRST_OF_LANES, LOCK_LANES, transact } from './tables.mjs';

const QUEUE = 'lanes';

/**
 * A job of pg-boss for each active lane, in a queue with the policy `standard`: inserted in the transaction that
 * accepts, and completed in the one that finds the lane empty. Jobs are fetched and completed in batches.
 *
 * What it would need besides is left out, in its favour: nothing marks an event as running but the job, no sweeper looks
 * for lanes whose job was lost, and completed jobs are not deleted.
 *
 * @param {import('pg').Pool} pool
 * @param {string} address
 * @returns {Promise<import('./tables.mjs').Engine>}
 */
export async function pgBossEngine(pool, address) {
  const boss = new PgBoss({ connectionString: address, supervise: false, schedule: false, max: 2 });
  await boss.start();
  await boss.createQueue(QUEUE, { partition: true });
  /** @param {import('pg').PoolClient} client */
  const within = (client) => ({
    db: { executeSql: (/** @type {string} */ text, /** @type {any} */ values) => client.query(text, values) },
  });
  return {
    accept: (lanes) =>
      transact(pool, async (client) => {
        const ids = [...new Set(lanes)];
        const locked = client.query(LOCK_LANES, [ids]);
        const stored = client.query('insert into work (lane) select unnest($1::bigint[])', [lanes]);
        const idle = (await locked).rows.filter(({ scheduled }) => !scheduled).map(({ id }) => id);
        await stored;
        if (idle.length === 0) return;
        const marked = client.query('update lanes set scheduled = true where id = any($1::bigint[])', [idle]);
        await boss.insert(
          QUEUE,
          idle.map((lane) => ({ data: { lane } })),
          within(client),
        );
        await marked;
      }),
    async claim(most) {
      const jobs = await boss.fetch(QUEUE, { batchSize: most });
      if (jobs.length === 0) return [];
      const jobOf = new Map(jobs.map(({ id, data }) => [data.lane, id]));
      const { rows } = await pool.query(FIRST_OF_LANES, [[...jobOf.keys()]]);
      return rows.map(({ id, lane }) => ({ id, lane, job: jobOf.get(lane) }));
    },
    finish: (running) =>
      transact(pool, async (client) => {
        const lanes = running.map(({ lane }) => lane);
        const jobOf = new Map(running.map(({ lane, job }) => [lane, job]));
        const locked = client.query(LOCK_LANES, [lanes]);
        const ended = client.query('update work set status = 2 where id = any($1::bigint[]) and status < 2', [
          running.map(({ id }) => id),
        ]);
        const { rows } = await client.query(FIRST_OF_LANES, [lanes]);
        await locked;
        if ((await ended).rowCount !== running.length) throw new Error('an event was not in flight');
        const going = new Set(rows.map(({ lane }) => lane));
        const idle = lanes.filter((lane) => !going.has(lane));
        if (idle.length > 0) {
          const marked = client.query('update lanes set scheduled = false where id = any($1::bigint[])', [
            idle,
          ]);
          await boss.complete(
            QUEUE,
            idle.map((lane) => jobOf.get(lane)),
            null,
            within(client),
          );
          await marked;
        }
        return rows.map(({ id, lane }) => ({ id, lane, job: jobOf.get(lane) }));
      }),
    stop: () => boss.stop({ graceful: false }),
  };
}
