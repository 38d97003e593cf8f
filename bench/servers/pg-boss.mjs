import { PgBoss } from 'pg-boss';
import { servePeer } from './peer.mjs';

/** Argument: the address of PostgreSQL. */
const boss = new PgBoss({ connectionString: process.argv[2], supervise: false, schedule: false });
await boss.start();
await boss.createQueue('webhooks');

/** Enqueues before the response, without validation, deduplication or order by subject. */
servePeer((event) => boss.send('webhooks', event));
