import { setTimeout as pause } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';

/**
 * Finishes the jobs of an ordered queue, as fast as pg-boss gives them: batches are fetched and completed one after
 * the other, without the pauses of `work`. Argument: the address of PostgreSQL.
 */
const BATCH = 1_000;

/**
 * Milliseconds to the next fetch after an empty one. Each further empty one doubles them, up to the maximum: a worker that
 * has nothing to do leaves the machine to whoever is measured.
 */
const IDLE_MS = 5;
const MAX_IDLE_MS = 320;

const boss = new PgBoss({ connectionString: process.argv[2], supervise: false, schedule: false });
await boss.start();
// The receiver has ended.
process.once('disconnect', () => process.exit());

let finished = 0;
let idleMs = IDLE_MS;
for (;;) {
  const jobs = await boss.fetch('webhooks', { batchSize: BATCH });
  if (jobs.length === 0) {
    await pause(idleMs);
    idleMs = Math.min(2 * idleMs, MAX_IDLE_MS);
    continue;
  }
  idleMs = IDLE_MS;
  await boss.complete(
    'webhooks',
    jobs.map(({ id }) => id),
  );
  finished += jobs.length;
  process.send?.(finished);
}
