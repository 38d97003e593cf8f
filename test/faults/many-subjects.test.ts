/** Given very many subjects with a pending delivery each: the start is fast, memory is bounded, and deliveries run in order of arrival. */
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { expectBelow, loadOf } from '../support/measured.ts';
import { serve } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { cloneCharges } from './kit/cloned-store.ts';
import { mebibytes, printFigures } from './kit/figures.ts';
import { startGoodClient } from './kit/senders/good-client.ts';
import { need } from './kit/needs.ts';
import { memoryOf } from './kit/programs/process-figures.ts';
import { writePromptHandlers } from './kit/prompt-handlers.ts';

const SUBJECTS = loadOf(2_000_000, { elsewhere: 100_000 });
/** Enough deliveries to see whether memory grows with the number of pending ones. */
const HANDLED = 10_000;

const MiB = 1024 * 1024;

test(`${SUBJECTS.toLocaleString('en')} subjects with a pending delivery`, async (context) => {
  need(context, 'linux', 'room');
  const workspace = createWorkspace();
  writePromptHandlers(workspace);
  const env = workspace.settings;
  const empty = await serve({ ...env, PORTARIA_DATABASE: createWorkspace().database });
  const idle = memoryOf(empty.pid).resident;
  empty.kill('SIGTERM');
  await empty.ended;
  await cloneCharges(workspace.database, SUBJECTS, { handler: 'prompt', order: 'subject', stale: false });

  const started = performance.now();
  const running = await serve(env);
  const readyMs = Math.round(performance.now() - started);
  const client = startGoodClient(running.url, 1);
  await eventually('10,000 deliveries are handled', () => workspace.recorded().length >= HANDLED);
  const seconds = (performance.now() - started - readyMs) / 1_000;
  const { answered, refused, p99 } = await client.stop();
  const grown = memoryOf(running.pid).peak - idle;
  const subjects = workspace.recorded().map((line) => Number(/^prompt (\d+)-1$/.exec(line)?.[1]));
  const first = subjects[0] ?? NaN;
  // Only deliveries in flight at the same time may overtake each other.
  const overtaken = subjects.filter((subject, index) => Math.abs(subject - first - index) > 100);

  printFigures('many subjects', {
    subjects: SUBJECTS,
    'ready-ms': readyMs,
    handled: subjects.length,
    'handled-per-second': Math.round(HANDLED / seconds),
    'out-of-order': overtaken.length,
    'good-client-answered': answered,
    'good-client-p99-ms': p99,
    'memory-over-idle': mebibytes(grown),
  });
  expect(refused).toBe(0);
  expectBelow(1_000, p99, 'p99 of a good client');
  expect(new Set(subjects).size).toBe(subjects.length);
  expect(overtaken).toEqual([]);
  expect(grown).toBeLessThan(150 * MiB);
});
