import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from '../load/run-to-end.mjs';
import { startPortaria } from '../servers/portaria.mjs';

const cloner = fileURLToPath(new URL('clone-template-process.mjs', import.meta.url));

/** Entity ids of prefilled events, beyond those of the generators. */
const FIRST_STORED = 7_000_000_000;

/** Bytes of an event on disk besides its body, with indexes and a delivery, rounded up. */
const ROW_BYTES = 800;

/**
 * Fills a new store: Portaria creates it and receives one event, which is copied.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {object} options
 * @param {string} options.database
 * @param {number} options.events
 * @param {(id: number) => string} options.body
 * @param {string} options.handlers a folder; the deliveries of the event are copied, too
 */
export async function prefill({ supervisor, report }, { database, events, body, handlers }) {
  const first = body(FIRST_STORED);
  // Two long rows share a page, which leaves as much space unused.
  const room = Math.floor((freeBytes(dirname(database)) * 0.8) / (ROW_BYTES + 1.5 * first.length));
  if (room < events) throw new Error(`the disk has room for ${room.toLocaleString('en')} events only`);

  const portaria = await startPortaria(supervisor, { database, handlers, graceMs: 0 });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(portaria.url, { method: 'POST', headers, body: first });
  if (answer.status !== 202) throw new Error(`the first event got the response ${answer.status}`);
  await portaria.stop();

  const copies = JSON.stringify({ count: events, shift: FIRST_STORED - 1 });
  // In a process of its own: it blocks for a long time, and may have to be ended.
  const { seconds } = await runToEnd(supervisor, process.execPath, [cloner, database, copies]);
  if (seconds > 5) report(`${events.toLocaleString('en')} events written in ${seconds.toFixed(0)} s`);
}

/** @param {string} folder */
function freeBytes(folder) {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
