import { duplicates } from './duplicates.mjs';
import { finish } from './finish.mjs';
import { ingest } from './ingest.mjs';
import { latency } from './latency.mjs';
import { livePages } from './live-pages.mjs';
import { pendingMemory } from './pending-memory.mjs';
import { replay } from './replay.mjs';
import { scaleBlocked } from './scale/blocked.mjs';
import { scaleEngine } from './scale/engine.mjs';
import { scaleFinish } from './scale/finish.mjs';
import { scaleIngest } from './scale/ingest.mjs';
import { scaleLatency } from './scale/latency.mjs';
import { scaleReceivers } from './scale/receivers.mjs';
import { scaleStored } from './scale/stored.mjs';
import { scaleTakeOver } from './scale/take-over.mjs';
import { storedEvents } from './stored-events.mjs';

/**
 * Rows that are measured together.
 *
 * @typedef {object} Rows
 * @property {string} name for `--only`, which also takes the part before the first dash
 * @property {(plan: import('./plans.mjs').Plan) => readonly import('../report/results.mjs').RowPlan[]} rows
 * @property {(bench: import('../bench.mjs').Bench) => Promise<void>} measure
 */

/** @type {readonly Rows[]} */
export const allRows = [
  ingest,
  latency,
  finish,
  duplicates,
  replay,
  livePages,
  storedEvents,
  pendingMemory,
  scaleIngest,
  scaleLatency,
  scaleFinish,
  scaleReceivers,
  scaleBlocked,
  scaleTakeOver,
  scaleEngine,
  scaleStored,
];
