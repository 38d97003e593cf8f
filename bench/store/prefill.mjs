import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { violation } from '../load/violation.mjs';
import { startPortaria } from '../servers/portaria.mjs';
import { cloneTemplate } from './clone-template.mjs';

/** Entity ids of prefilled events, beyond those that generators use. */
const FIRST_STORED = 7_000_000_000;

/** What an event takes on disk with its indexes, in bytes, rounded up. */
const EVENT_BYTES = 2_600;

/**
 * Fills a new store: Portaria makes it and receives one event, which is copied.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {object} options
 * @param {string} options.database
 * @param {number} options.events
 * @param {string} options.handlers a folder; the event's deliveries are copied too, as they are
 */
export async function prefill({ keeper, say }, { database, events, handlers }) {
  const room = Math.floor((freeBytes(dirname(database)) * 0.8) / EVENT_BYTES);
  if (room < events) throw new Error(`there is room for ${room.toLocaleString('en')} events only`);

  const portaria = await startPortaria(keeper, { database, handlers, graceMs: 0 });
  const body = violation(FIRST_STORED);
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(portaria.url, { method: 'POST', headers, body });
  if (answer.status !== 202) throw new Error(`the first event was answered ${answer.status}`);
  await portaria.stop();

  const startedAt = performance.now();
  cloneTemplate(database, { count: events, shift: FIRST_STORED - 1 });
  const seconds = (performance.now() - startedAt) / 1_000;
  if (seconds > 5) say(`${events.toLocaleString('en')} events written in ${seconds.toFixed(0)} s`);
}

/** @param {string} folder */
function freeBytes(folder) {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
