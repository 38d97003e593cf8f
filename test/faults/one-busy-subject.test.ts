/** One subject with 100,000 events: others are served and handled meanwhile, and memory does not grow with it. */
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { serve } from '../support/running-portaria.ts';
import { workshop } from '../support/workshop.ts';
import { mebibytes, printFigures } from './kit/figures.ts';
import { fillDatabase } from './kit/filled-store.ts';
import { startGoodClient } from './kit/good-client.ts';
import { inspectStore } from './kit/inspect-store.ts';
import { need } from './kit/needs.ts';
import { memoryOf } from './kit/process-figures.ts';
import { recordedBy, writePromptHandlers } from './kit/prompt-handlers.ts';
import { loginBody, logins } from './kit/webhooks.ts';

const EVENTS = 100_000;
/** Webhooks of others to be answered meanwhile. */
const OTHERS = 300;

const MiB = 1024 * 1024;

function* first<T>(count: number, all: Iterator<T, unknown>): Generator<T> {
  for (let taken = 0; taken < count; taken += 1) {
    const next = all.next();
    if (next.done === true) return;
    yield next.value;
  }
}

async function idleMemory(): Promise<number> {
  const place = workshop();
  writePromptHandlers(place);
  const running = await serve({ PORTARIA_DATABASE: place.database, PORTARIA_HANDLERS: place.handlers });
  const { resident } = memoryOf(running.pid);
  running.kill('SIGTERM');
  await running.ended;
  return resident;
}

/** When the machine knows the company, which takes all of its history. */
function machineKnows(database: string): Promise<boolean> {
  return eventually(
    'the machine has folded the history',
    () =>
      inspectStore(database, async (store) => {
        const states = await store.listMachineStates({ machine: 'login-attempt', limit: 1 });
        return states.length === 1;
      }),
    60_000,
  );
}

test(`a subject with ${String(EVENTS)} events holds up nobody`, async (context) => {
  need(context, 'linux');
  const place = workshop();
  writePromptHandlers(place);
  const routes = [{ handler: 'watched', order: 'subject', stale: false }] as const;
  await fillDatabase(place.database, first(EVENTS, logins(1)), routes);
  const idle = await idleMemory();
  const running = await serve({
    PORTARIA_DATABASE: place.database,
    PORTARIA_HANDLERS: place.handlers,
    // With a second slot the others would not need the busy one to make way.
    PORTARIA_CONCURRENCY: '1',
  });

  // Its lane is being worked off, one after the other.
  const before = recordedBy(place, 'watched');
  const client = startGoodClient(running.url, 1);
  await eventually('others are handled', () => recordedBy(place, 'prompt') >= OTHERS);
  const service = await client.stop();
  const stopped = performance.now();
  await eventually('all of the others are handled', () => recordedBy(place, 'prompt') >= service.answered);
  const catchUpMs = Math.round(performance.now() - stopped);
  const worked = recordedBy(place, 'watched') - before;

  // An event older than all others makes the machine go through the whole history.
  const other = startGoodClient(running.url, 11);
  const late = performance.now();
  expect((await running.post(JSON.parse(loginBody(1, -1)))).status).toBe(202);
  await machineKnows(place.database);
  const historyMs = Math.round(performance.now() - late);
  const serviceMeanwhile = await other.stop();
  const grown = memoryOf(running.pid).peak - idle;

  printFigures('one busy subject', {
    events: EVENTS,
    'its-own-handled-meanwhile': worked,
    'others-answered': service.answered,
    'others-p99-ms': service.p99,
    'others-catch-up-ms': catchUpMs,
    'history-folded-ms': historyMs,
    'others-answered-meanwhile': serviceMeanwhile.answered,
    'p99-meanwhile-ms': serviceMeanwhile.p99,
    'longest-meanwhile-ms': serviceMeanwhile.longest,
    'memory-over-idle': mebibytes(grown),
  });
  expect([service.refused, serviceMeanwhile.refused]).toEqual([0, 0]);
  expect(worked).toBeGreaterThan(0);
  expect(service.p99).toBeLessThan(1_000);
  expect(catchUpMs).toBeLessThan(5_000);
  expect(serviceMeanwhile.longest).toBeLessThan(3_000);
  expect(grown).toBeLessThan(250 * MiB);
});
