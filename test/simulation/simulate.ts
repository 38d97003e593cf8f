/**
 * `npm run simulate`: tells stories of new seeds until one breaks a promise or the time is over.
 *
 *     npm run simulate -- --minutes 1              stories of new seeds for a minute (the default)
 *     npm run simulate -- --seeds 500              so many stories
 *     npm run simulate -- --seed 12345             one story; SIMULATION_TRACE=1 prints what happens
 *     npm run simulate -- --steps 300              steps of a story
 *     npm run simulate -- --keep-going             says which stories break a promise, and goes on
 */
import { parseArgs } from 'node:util';
import { transitions } from './checker/transitions.ts';
import { runStory } from './run-story.ts';
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
    'no-shrink': { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
  },
});

const length = Number(values.steps);
const isOne = values.seed !== undefined;
const first = Number(values.seed ?? values.from ?? Date.now() % 1_000_000_000);
const most = isOne ? 1 : Number(values.seeds ?? Infinity);
const clock = { now: performance.now.bind(performance) };
const startedAt = clock.now();
const endsAt = values.seeds === undefined && !isOne ? startedAt + Number(values.minutes) * 60_000 : Infinity;

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

for (let seed = first; seed < first + most && clock.now() < endsAt; seed += 1) {
  const story = drawStory(seed, length);
  const result = await runStory(seed, story);
  total.seeds += 1;
  total.steps += result.webhooks + result.attempts + result.commands + result.faults;
  total.simulatedMs += result.simulatedMs;
  total.faults += result.faults;
  for (const [name, times] of result.reached) reached.set(name, (reached.get(name) ?? 0) + times);
  if (result.violation !== null) {
    console.log(`seed ${String(seed)}, step ${String(result.at)}: ${result.violation.message}`);
    process.exitCode = 1;
    if (values['keep-going']) continue;
    if (values['no-shrink']) break;
    const until = clock.now() + SHRINK_MS;
    const shortest = await shrink(seed, story, result, () => clock.now() > until);
    console.log(
      `${String(shortest.steps.length)} steps are enough: ${shortest.result.violation?.message ?? ''}\n`,
    );
    console.log(storyAsTest(seed, shortest));
    break;
  }
  if (isOne) console.log(`seed ${String(seed)}: ${result.hash}`);
  if (clock.now() - shownAt < PROGRESS_MS) continue;
  shownAt = clock.now();
  console.log(progress());
}

console.log(progress());
const never = transitions.filter((name) => !reached.has(name));
if (never.length > 0) console.log(`never: ${never.join('; ')}`);
