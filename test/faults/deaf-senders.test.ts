/** Senders that never read what they are answered: they hold little memory, stop nobody else, and are ended. */
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { serve } from '../support/running-portaria.ts';
import { workshop } from '../support/workshop.ts';
import { crowd, type Behaviour } from './kit/crowd.ts';
import { deafSender, eagerSender } from './kit/deaf-senders.ts';
import { mebibytes, printFigures } from './kit/figures.ts';
import { startGoodClient } from './kit/good-client.ts';
import { need } from './kit/needs.ts';
import { memoryOf } from './kit/process-figures.ts';
import { statisticsOf } from './kit/statistics.ts';

/** Twice what any load of this rate costs. */
const MAX_MEMORY = 250 * 1024 * 1024;
/** However busy the machine is, the others do not wait for the end of it. Milliseconds for 99 of 100 answers. */
const LONG_ANSWER_MS = 10_000;

/** Of the honest sender: what it tells in these tens of seconds it tells with some webhooks a second. */
const REST_MS = 10;

interface Senders {
  readonly behaviour: Behaviour;
  readonly count: number;
}

interface Manner {
  readonly what: string;
  /** Those of a crowd come at the same time, and the next crowd when all of them are ended. */
  readonly crowds: readonly (readonly Senders[])[];
  readonly mostMemory: number;
}

const oneByOne = { behaviour: deafSender(1, 5), count: 6 };
const tenAtOnce = { behaviour: deafSender(10, 50), count: 4 };
const eager = { behaviour: eagerSender, count: 40 };

const manners: readonly Manner[] = [
  // Their answers fill all that lies between the two sides.
  { what: 'one by one and ten at once', crowds: [[oneByOne, tenAtOnce]], mostMemory: MAX_MEMORY },
  // These fill it at once. Until then they are taken as fast as the machine can, and cost what a full load does.
  { what: 'as fast as they are taken', crowds: [[eager]], mostMemory: 2 * MAX_MEMORY },
];

describe.each(manners)('senders that read no answer, webhooks $what', ({ what, crowds, mostMemory }) => {
  test('are ended; others are served meanwhile', { timeout: 200_000 }, async (context) => {
    need(context, 'linux');
    const { database } = workshop();
    const running = await serve({ PORTARIA_DATABASE: database, PORTARIA_BODY_TIMEOUT_MS: '2000' });
    // The first read starts the reading thread, which belongs to the process and not to the senders.
    await statisticsOf(running);
    const before = memoryOf(running.pid).resident;
    const goodClient = startGoodClient(running.url, 1, REST_MS);

    const began = performance.now();
    for (const together of crowds) {
      const port = Number(new URL(running.url).port);
      const deaf = await Promise.all(together.map(({ count, behaviour }) => crowd(port, count, behaviour)));
      await eventually('all are ended', () => deaf.every((each) => each.left() === 0), 170_000);
    }
    const endedAfterMs = Math.round(performance.now() - began);
    const service = await goodClient.stop();
    const { quarantine_held: kept } = await statisticsOf(running);

    const memory = memoryOf(running.pid);
    printFigures(`senders that read no answer, ${what}`, {
      connections: crowds.flat().reduce((sum, { count }) => sum + count, 0),
      kept,
      endedAfterMs,
      good: service.answered,
      refused: service.refused,
      p50: `${String(service.p50)}ms`,
      p99: `${String(service.p99)}ms`,
      longest: `${String(service.longest)}ms`,
      before: mebibytes(before),
      peak: mebibytes(memory.peak),
    });
    expect(service).toMatchObject({ refused: 0 });
    expect(service.answered).toBeGreaterThan(5);
    expect(service.p99).toBeLessThan(LONG_ANSWER_MS);
    expect(memory.peak - before).toBeLessThan(mostMemory);
    expect(running.written()).not.toMatch(/"level":50|"status":5\d\d/);
  });
});
