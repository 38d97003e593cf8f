/**
 * `npm run simulate`: tells stories of new seeds until one breaks a promise or the time is over.
 *
 *     npm run simulate -- --minutes 1              stories of new seeds for a minute (the default)
 *     npm run simulate -- --seeds 500              so many stories
 *     npm run simulate -- --failed                 before them, those that once broke a promise
 *     npm run simulate -- --seed 12345             one story; SIMULATION_TRACE=1 prints what happens
 *     npm run simulate -- --steps 300              steps of a story, 1,000 by default
 *     npm run simulate -- --postgres --receivers 3 several processes on PostgreSQL, whose stories are slower
 *     npm run simulate -- --jobs 1                 threads; as many as there are processors by default
 *     npm run simulate -- --keep-going             says which stories break a promise, and goes on
 *     npm run simulate -- --results <file>         writes what passed and failed, as Vitest does
 *
 * The time ends between two stories: a slow machine tells fewer, and each of them ends as elsewhere.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { transitions } from './checker/transitions.ts';
import { failedSeeds } from './failed-seeds.ts';
import { startSimulationPostgres } from './postgres/start-postgres.ts';
import type { TellOptions, Told, ToTell } from './tell-stories.ts';

/* oxlint-disable eslint/no-console -- a program */

const SHRINK_MS = 60_000;
const PROGRESS_MS = 10_000;
const DAY_MS = 86_400_000;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    from: { type: 'string' },
    steps: { type: 'string' },
    minutes: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    failed: { type: 'boolean', default: false },
    results: { type: 'string' },
    postgres: { type: 'boolean', default: false },
    receivers: { type: 'string', default: '2' },
    'no-shrink': { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
  },
});

const postgres = values.postgres ? await startSimulationPostgres(Number(values.receivers)) : null;
const length = Number(values.steps ?? (values.postgres ? 120 : 1_000));
const isOne = values.seed !== undefined;
const first = Number(values.seed ?? values.from ?? Date.now() % 1_000_000_000);
const most = isOne ? 1 : Number(values.seeds ?? Infinity);
const startedAt = performance.now();

const total = { seeds: 0, steps: 0, simulatedMs: 0, faults: 0 };
const reached = new Map<string, number>();
let shownAt = startedAt;

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

function progress(): string {
  const seconds = (performance.now() - startedAt) / 1_000;
  return [
    `${String(total.seeds)} stories`,
    `${String(total.steps)} steps (${(total.steps / seconds).toFixed(0)}/s, ${(total.steps / processorSeconds()).toFixed(0)} in a second of a processor)`,
    `${(total.simulatedMs / DAY_MS).toFixed(1)} simulated days`,
    `${String(total.faults)} faults`,
    `${String(transitions.filter((name) => reached.has(name)).length)} of ${String(transitions.length)} transitions`,
  ].join(', ');
}

function* newSeeds(): Generator<ToTell> {
  const endsAt =
    values.seeds === undefined && !isOne ? performance.now() + Number(values.minutes) * 60_000 : Infinity;
  for (let seed = first; seed < first + most && performance.now() < endsAt; seed += 1)
    yield { seed, steps: length };
}

function add(result: Told): void {
  total.seeds += 1;
  total.steps += result.webhooks + result.attempts + result.commands + result.faults;
  total.simulatedMs += result.simulatedMs;
  total.faults += result.faults;
  for (const [name, times] of result.reached) reached.set(name, (reached.get(name) ?? 0) + times);
}

const shrinkMs = values['no-shrink'] || values['keep-going'] ? 0 : SHRINK_MS;

/** Gives a thread one story after the other, until there is none. */
function tellInThread(next: () => ToTell | undefined, hear: (told: Told) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('tell-stories.ts', import.meta.url), {
      workerData: { shrinkMs, postgres: postgres?.place ?? null } satisfies TellOptions,
    });
    worker.on('error', reject);
    worker.on('exit', () => {
      resolve();
    });
    const goOn = (): void => {
      const story = next();
      if (story === undefined) void worker.terminate();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      else worker.postMessage(story);
    };
    worker.on('message', (told: Told) => {
      hear(told);
      goOn();
    });
    goOn();
  });
}

/** Tells stories, all or until one breaks a promise. @returns what to print of those that did */
async function tell(stories: Iterable<ToTell>): Promise<string[]> {
  const failures: string[] = [];
  const left = stories[Symbol.iterator]();
  const next = (): ToTell | undefined =>
    failures.length > 0 && !values['keep-going'] ? undefined : (left.next().value as ToTell | undefined);
  const hear = (told: Told): void => {
    add(told);
    if (told.failure !== null) {
      failures.push(told.failure);
      console.log(told.failure);
    } else if (isOne) console.log(`seed ${String(first)}: ${told.hash}`);
    if (performance.now() - shownAt < PROGRESS_MS) return;
    shownAt = performance.now();
    console.log(progress());
  };
  const jobs = isOne ? 1 : Number(values.jobs);
  await Promise.all(Array.from({ length: jobs }, () => tellInThread(next, hear)));
  return failures;
}

const told = new Map<string, readonly string[]>();
if (values.failed) told.set('seeds that once failed', await tell(failedSeeds));
if (!isOne) console.log(`new seeds from ${String(first)}`);
told.set(`new seeds from ${String(first)}`, await tell(newSeeds()));

console.log(progress());
const never = transitions.filter((name) => !reached.has(name));
if (never.length > 0) console.log(`never: ${never.join('; ')}`);

const failed = [...told].filter(([, failures]) => failures.length > 0);
if (failed.length > 0) process.exitCode = 1;
if (values.results !== undefined) {
  const assertionResults = failed.map(([fullName, failureMessages]) => ({
    ...{ fullName, failureMessages, status: 'failed' },
  }));
  const tally = { numPassedTests: told.size - failed.length, numFailedTests: failed.length };
  const name = 'npm run simulate';
  const testResults = failed.length === 0 ? [] : [{ name, status: 'failed', message: '', assertionResults }];
  writeFileSync(values.results, JSON.stringify({ ...tally, testResults }));
}
await postgres?.stop();
