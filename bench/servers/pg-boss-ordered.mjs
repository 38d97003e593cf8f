import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PgBoss } from 'pg-boss';
import { servePeer } from './peer.mjs';

/**
 * pg-boss in its own ordered mode: one job at a time for each subject. It receives here; a worker process finishes.
 * Argument: the address of PostgreSQL.
 */
const [, , address = ''] = process.argv;
const boss = new PgBoss({ connectionString: address, supervise: false, schedule: false });
await boss.start();
await boss.createQueue('webhooks', { policy: 'key_strict_fifo', partition: true });

let received = 0;
let finished = 0;
const worker = fork(fileURLToPath(new URL('pg-boss-worker.mjs', import.meta.url)), [address]);
worker.on('message', (count) => {
  finished = Number(count);
});

servePeer(
  async (event) => {
    await boss.send('webhooks', event, { singletonKey: String(event.data.id) });
    received += 1;
  },
  () => ({ received, finished }),
);
