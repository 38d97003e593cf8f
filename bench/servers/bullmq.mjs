import { Queue } from 'bullmq';
import { servePeer } from './peer.mjs';

/** Argument: the port of Redis. */
const queue = new Queue('webhooks', { connection: { host: '127.0.0.1', port: Number(process.argv[2]) } });
await queue.waitUntilReady();

/** Enqueues before the response, without validation, deduplication or order by subject. */
servePeer((event) => queue.add(event.type, event));
