/** Given reads of long histories on the private port: webhooks do not wait for them. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { serve } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { printFigures } from '../faults/kit/figures.ts';
import { startGoodClient } from '../faults/kit/senders/good-client.ts';
import { writeLongHistories } from '../faults/kit/long-histories.ts';
import { preloaded } from '../faults/kit/programs/preloaded.ts';
import { writePromptHandlers } from '../faults/kit/prompt-handlers.ts';
import { startReader } from '../faults/kit/programs/reader.ts';
import { loginBody } from '../faults/kit/senders/webhooks.ts';

const EVENTS = 100_000;
/** Rounds with a read, alternated with idle rounds. Repeated up to three times after a long wait. */
const ROUNDS = 2;
/** The longest idle round in milliseconds. It lasts as long as the last read, up to this limit. */
const MAX_IDLE_MS = 1_000;
const REST_MS = 1;
/**
 * The most milliseconds that a read may add to the longest wait, and may hold the event loop. A fast machine needs
 * 6, a slow one 20; a read in one piece takes hundreds.
 */
const MAX_MS = 50;

const subject = 'company-login:1';
const reads: readonly string[] = [
  `/api/subjects/${subject}`,
  `/api/subjects/${subject}?limit=1000&order=newest`,
  `/api/events?subject=${subject}&limit=1000`,
  '/api/events?flag=superseded',
  '/api/events?kind=nothing.*',
  '/api/events?status=dead&verdict=stale',
  `/api/deliveries?subject=${subject}&limit=1000`,
  '/api/deliveries?source=other',
  '/api/quarantine?limit=1000',
  '/api/quarantine?reason=conflict',
  '/api/machines?limit=1000',
  '/api/machines/watcher/charge:c2',
  '/api/jobs?limit=1000',
  '/api/stats',
  '/metrics',
];

/**
 * Prints, at each SIGUSR2, the longest CPU time of the main thread between two 1 ms timers. Time used by
 * other processes does not count.
 */
const HOLDS = `
import { isMainThread } from 'node:worker_threads';
const used = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000; };
let longest = 0;
let before = 0;
if (isMainThread && process.threadCpuUsage !== undefined) {
  before = used();
  setInterval(() => {
    const now = used();
    longest = Math.max(longest, now - before);
    before = now;
  }, 1).unref();
}
if (isMainThread) process.on('SIGUSR2', () => {
  process.stderr.write('held ' + longest + '\\n');
  longest = 0;
});`;

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? NaN;

test(`a webhook does not wait for a read of ${String(EVENTS)} events`, async () => {
  const workspace = createWorkspace();
  writePromptHandlers(workspace);
  await writeLongHistories(workspace.database, EVENTS);
  const running = await serve({
    ...workspace.settings,
    ...preloaded(workspace, 'holds', HOLDS),
  });
  const reader = startReader();
  onTestFinished(() => {
    reader.end();
  });
  let charge = 1_000;
  const figures: Record<string, string> = {};
  const tooLong: string[] = [];

  /** The longest time that the process has held its event loop since the last call; 0 if Node cannot measure it. */
  async function longestHold(): Promise<number> {
    const printed = () => running.written().match(/^held [\d.]+$/gm) ?? [];
    const before = printed().length;
    process.kill(running.pid, 'SIGUSR2');
    const lines = await eventually(
      'the process prints its figure',
      () => printed().length > before && printed(),
    );
    return Number(lines.at(-1)?.slice('held '.length));
  }

  /** The longest wait of a webhook during this work. */
  async function longestWhile(work: () => Promise<unknown>): Promise<number> {
    const client = startGoodClient(running.url, (charge += 2), REST_MS);
    await pause(20);
    await work();
    const { longest, refused } = await client.stop();
    expect(refused).toBe(0);
    return longest;
  }

  /**
   * Measures the waits with and without this work. Other load only makes waits longer, so the round
   * with the shortest wait decides.
   */
  async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
    const idle: number[] = [];
    const meanwhile: number[] = [];
    const isLong = () => Math.min(...meanwhile) > Math.max(...idle) + MAX_MS;
    let idleMs = 100;
    while (meanwhile.length < ROUNDS || (isLong() && meanwhile.length < 3 * ROUNDS)) {
      idle.push(await longestWhile(() => pause(idleMs)));
      const began = performance.now();
      meanwhile.push(await longestWhile(work));
      idleMs = Math.min(performance.now() - began, MAX_IDLE_MS);
    }
    const held = await longestHold();
    figures[what] = `${String(median(idle))}/${String(median(meanwhile))}/${held.toFixed(0)}`;
    if (isLong())
      tooLong.push(`${what}: ${String(Math.min(...meanwhile))} ms, idle ${String(median(idle))} ms`);
    if (held > MAX_MS) tooLong.push(`${what}: the process held the loop for ${held.toFixed(1)} ms`);
  }

  // The first use loads and compiles code, which must not be measured.
  for (const path of reads)
    expect((await reader.read(new URL(path, running.operators).href)).status).toBe(200);
  await longestHold();

  for (const path of reads) await measure(path, () => reader.read(new URL(path, running.operators).href));
  await measure('rebuild', () =>
    reader.read(new URL('/api/machines/rebuild', running.operators).href, {
      method: 'POST',
      body: JSON.stringify({ machine: 'login-attempt', subject }),
    }),
  );
  let late = 0;
  await measure('late events', async () => {
    for (let times = 0; times < 3; times += 1) {
      late += 1;
      expect((await running.post(JSON.parse(loginBody(1, -late)))).status).toBe(202);
    }
    await pause(1_000);
  });

  printFigures('longest wait in ms: idle/during the read/event loop held', figures);
  expect(tooLong).toEqual([]);
});
