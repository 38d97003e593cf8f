/**
 * Given two receivers on one PostgreSQL, one of whose machines has a clock that is an hour off: retries are not early, nor
 * an hour late, leases hold, and no lane runs twice at once. Ahead and behind.
 */
import { expect, test } from 'vitest';
import { need } from './kit/needs.ts';
import { createDatabase, postgresOfTest, startReceivers } from './kit/receivers.ts';
import { shiftedClock } from './kit/shifted-clock.ts';
import { createWorkspace, recording } from '../support/workspace.ts';

const HOUR_MS = 3_600_000;
/** The least wait between two attempts of the handler: jitter takes all but this away. */
const RETRY_MS = 2_000;

/** A handler that fails at first, and records when each attempt begins by a clock that nobody shifts. */
const patient = (folder: string): string => `${recording({ folder })}
const failed = new Set<string>();
export default defineHandler({
  name: 'patient',
  on: 'charge.*',
  retry: { attempts: 5, baseMs: ${String(2 * RETRY_MS)}, maxMs: ${String(2 * RETRY_MS)} },
  handle({ data, event }) {
    record('patient ' + data.code + ' ' + String(Math.round(Number(process.hrtime.bigint() / 1_000_000n))));
    if (failed.has(String(data.code)) || Number(data.amount) !== 1) return;
    failed.add(String(data.code));
    throw new Error('the first attempt fails');
  },
});
`;
