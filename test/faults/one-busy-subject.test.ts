/** Given one subject with very many events: other subjects are handled at the same time, and memory stays bounded. */
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { expectBelow, loadOf } from '../support/measured.ts';
import { serve } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { mebibytes, printFigures } from './kit/figures.ts';
import { fillDatabase } from './kit/filled-store.ts';
import { startGoodClient } from './kit/senders/good-client.ts';
import { inspectStore } from './kit/inspect-store.ts';
import { need } from './kit/needs.ts';
import { memoryOf } from './kit/programs/process-figures.ts';
import { recordedBy, writePromptHandlers } from './kit/prompt-handlers.ts';
import { loginBody, logins } from './kit/senders/webhooks.ts';

const EVENTS = loadOf(100_000, { elsewhere: 10_000 });
/** The number of webhooks of other subjects. */
const OTHERS = 100;

const MiB = 1024 * 1024;

function* first<T>(count: number, all: Iterator<T, unknown>): Generator<T> {
  for (let taken = 0; taken < count; taken += 1) {
    const next = all.next();
    if (next.done === true) return;
    yield next.value;
  }
}

async function idleMemory(): Promise<number> {
  const workspace = createWorkspace();
  writePromptHandlers(workspace);
  const running = await serve({
    ...workspace.settings,
  });
  const { resident } = memoryOf(running.pid);
  running.kill('SIGTERM');
  await running.ended;
  return resident;
}

/** Resolves once the machine has folded the whole history of the company. */
function historyFolded(database: string): Promise<boolean> {
  return eventually('the machine has folded the history', () =>
    inspectStore(database, async (store) => {
      const states = await store.listMachineStates({ machine: 'login-attempt', limit: 1 });
      return states.length === 1;
    }),
  );
}

test(`a subject with ${String(EVENTS)} events delays no other subject`, async (context) => {
  need(context, 'linux');
  const workspace = createWorkspace();
  writePromptHandlers(workspace);
  const routes = [{ handler: 'watched', order: 'subject', stale: false }] as const;
  await fillDatabase(workspace.database, first(EVENTS, logins(1)), routes);
  const idle = await idleMemory();
  const running = await serve({
    ...workspace.settings,
    // With a concurrency of 2 the other subjects would not need the busy one to yield.
    PORTARIA_CONCURRENCY: '1',
  });

  // Its deliveries run one after the other.
  const before = recordedBy(workspace, 'watched');
  const client = startGoodClient(running.url, 1);
  await eventually('others are handled', () => recordedBy(workspace, 'prompt') >= OTHERS);
  const service = await client.stop();
  const stopped = performance.now();
  await eventually(
    'all of the others are handled',
    () => recordedBy(workspace, 'prompt') >= service.answered,
  );
  const catchUpMs = Math.round(performance.now() - stopped);
  const worked = recordedBy(workspace, 'watched') - before;

  // An event older than all others makes the machine fold the whole history again.
  const other = startGoodClient(running.url, 11);
  const late = performance.now();
  expect((await running.post(JSON.parse(loginBody(1, -1)))).status).toBe(202);
  await historyFolded(workspace.database);
  const historyMs = Math.round(performance.now() - late);
  const serviceDuringFold = await other.stop();
  const grown = memoryOf(running.pid).peak - idle;

  printFigures('one busy subject', {
    events: EVENTS,
    'own-deliveries-handled': worked,
    'others-responses': service.answered,
    'others-p99-ms': service.p99,
    'others-catch-up-ms': catchUpMs,
    'history-folded-ms': historyMs,
    'others-responses-during-fold': serviceDuringFold.answered,
    'p99-during-fold-ms': serviceDuringFold.p99,
    'longest-during-fold-ms': serviceDuringFold.longest,
    'memory-over-idle': mebibytes(grown),
  });
  expect([service.refused, serviceDuringFold.refused]).toEqual([0, 0]);
  expect(worked).toBeGreaterThan(0);
  expectBelow(1_000, service.p99, 'p99 of the others');
  expectBelow(5_000, catchUpMs, 'milliseconds until all of the others are handled');
  expectBelow(3_000, serviceDuringFold.longest, 'longest response during the fold');
  expect(grown).toBeLessThan(250 * MiB);
});
