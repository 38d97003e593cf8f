/**
 * `npm run simulate`: tells stories of new seeds until one breaks a promise or the time is over.
 *
 *     npm run simulate -- --minutes 1              stories of new seeds for a minute (the default)
 *     npm run simulate -- --seeds 500              so many stories
 *     npm run simulate -- --failed                 before them, those that once broke a promise
 *     npm run simulate -- --seed 12345             one story; SIMULATION_TRACE=1 prints what happens
 *     npm run simulate -- --steps 300              steps of a story
 *     npm run simulate -- --keep-going             says which stories break a promise, and goes on
 *     npm run simulate -- --results <file>         writes what passed and failed, as Vitest does
 *
 * The time ends between two stories: a slow machine tells fewer, and each of them ends as elsewhere.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { transitions } from './checker/transitions.ts';
import { failedSeeds } from './failed-seeds.ts';
import { runStory, type StoryResult } from './run-story.ts';
import { shrink, storyAsTest } from './shrink.ts';
import { drawStory } from './story.ts';

/* oxlint-disable eslint/no-console -- a program */

const SHRINK_MS = 60_000;
const PROGRESS_MS = 10_000;
const DAY_MS = 86_400_000;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    from: { type: 'string' },
    steps: { type: 'string', default: '300' },
    minutes: { type: 'string', default: '1' },
    failed: { type: 'boolean', default: false },
    results: { type: 'string' },
    'no-shrink': { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
  },
});

const length = Number(values.steps);
const isOne = values.seed !== undefined;
const first = Number(values.seed ?? values.from ?? Date.now() % 1_000_000_000);
const most = isOne ? 1 : Number(values.seeds ?? Infinity);
// The simulation replaces the clock of the process.
const clock = { now: performance.now.bind(performance) };
const startedAt = clock.now();

const total = { seeds: 0, steps: 0, simulatedMs: 0, faults: 0 };
const reached = new Map<string, number>();
let shownAt = startedAt;

function progress(): string {
  const seconds = (clock.now() - startedAt) / 1_000;
  return [
    `${String(total.seeds)} stories`,
    `${String(total.steps)} steps (${(total.steps / seconds).toFixed(0)}/s)`,
    `${(total.simulatedMs / DAY_MS).toFixed(1)} simulated days`,
    `${String(total.faults)} faults`,
    `${String(transitions.filter((name) => reached.has(name)).length)} of ${String(transitions.length)} transitions`,
  ].join(', ');
}

function* newSeeds(): Iterable<{ readonly seed: number; readonly steps: number }> {
  const endsAt =
    values.seeds === undefined && !isOne ? clock.now() + Number(values.minutes) * 60_000 : Infinity;
  for (let seed = first; seed < first + most && clock.now() < endsAt; seed += 1)
    yield { seed, steps: length };
}

function add(result: StoryResult): void {
  total.seeds += 1;
  total.steps += result.webhooks + result.attempts + result.commands + result.faults;
  total.simulatedMs += result.simulatedMs;
  total.faults += result.faults;
  for (const [name, times] of result.reached) reached.set(name, (reached.get(name) ?? 0) + times);
}

/** @returns what to print of a story that broke a promise */
async function failure(seed: number, steps: number, result: StoryResult): Promise<string> {
  const message = `seed ${String(seed)}, step ${String(result.at)}: ${result.violation?.message ?? ''}`;
  if (values['keep-going'] || values['no-shrink']) return message;
  console.log(message);
  const until = clock.now() + SHRINK_MS;
  const shortest = await shrink(seed, drawStory(seed, steps), result, () => clock.now() > until);
  const enough = `${String(shortest.steps.length)} steps are enough: ${shortest.result.violation?.message ?? ''}`;
  return `${enough}\n\n${storyAsTest(seed, shortest)}`;
}

/** Tells stories, all or until one breaks a promise. @returns what to print of those that did */
async function tell(stories: Iterable<{ readonly seed: number; readonly steps: number }>): Promise<string[]> {
  const failures: string[] = [];
  for (const { seed, steps } of stories) {
    const result = await runStory(seed, drawStory(seed, steps));
    add(result);
    if (result.violation !== null) {
      failures.push(await failure(seed, steps, result));
      console.log(failures.at(-1));
      if (!values['keep-going']) break;
    } else if (isOne) console.log(`seed ${String(seed)}: ${result.hash}`);
    if (clock.now() - shownAt < PROGRESS_MS) continue;
    shownAt = clock.now();
    console.log(progress());
  }
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
