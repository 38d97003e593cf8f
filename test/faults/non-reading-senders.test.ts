/** Given senders that never read a response: they use little memory, delay no other sender, and are disconnected. */
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { expectBelow, loadOf } from '../support/measured.ts';
import { serve } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { crowd, type Behaviour } from './kit/senders/crowd.ts';
import { nonReadingSender, fastNonReadingSender } from './kit/senders/non-reading-senders.ts';
import { mebibytes, printFigures } from './kit/figures.ts';
import { startGoodClient } from './kit/senders/good-client.ts';
import { need } from './kit/needs.ts';
import { memoryOf } from './kit/programs/process-figures.ts';
import { statisticsOf } from './kit/statistics.ts';

/** Twice the memory that a load of this rate needs. */
const MAX_MEMORY = 250 * 1024 * 1024;
/** On a busy machine V8's young generation grows to 128 MiB whatever senders do. This bounds it to 48 MiB. */
const NODE_OPTIONS = '--max-semi-space-size=16';
/** The 99th percentile of response times for other senders in milliseconds. */
const MAX_P99_MS = 10_000;

/** The pause of the well-behaved sender. A few webhooks per second are enough. */
const REST_MS = 10;

interface Senders {
  readonly behaviour: Behaviour;
  readonly count: number;
}

interface Scenario {
  readonly what: string;
  readonly senders: readonly Senders[];
  readonly maxMemory: number;
}

const oneByOne = { behaviour: nonReadingSender(1, 1), count: loadOf(6, { elsewhere: 1 }) };
const inTens = { behaviour: nonReadingSender(10, 10), count: loadOf(4, { elsewhere: 1 }) };
const fast = { behaviour: fastNonReadingSender, count: loadOf(40, { elsewhere: 8 }) };

const scenarios: readonly Scenario[] = [
  // Their unread responses fill the socket buffers slowly.
  { what: 'one by one and ten at a time', senders: [oneByOne, inTens], maxMemory: MAX_MEMORY },
  // These fill the buffers at once. Until then they need as much memory as a full load.
  { what: 'as fast as the server reads', senders: [fast], maxMemory: 2 * MAX_MEMORY },
];

describe.each(scenarios)(
  'senders that never read a response, webhooks $what',
  ({ what, senders, maxMemory }) => {
    test('are disconnected while others are served', async (context) => {
      need(context, 'linux');
      const { database } = createWorkspace();
      const running = await serve({
        PORTARIA_DATABASE: database,
        PORTARIA_BODY_TIMEOUT_MS: '2000',
        NODE_OPTIONS,
      });
      // The first read starts the reader thread, whose memory must not count.
      await statisticsOf(running);
      const before = memoryOf(running.pid).resident;
      const goodClient = startGoodClient(running.url, 1, REST_MS);

      const began = performance.now();
      const port = Number(new URL(running.url).port);
      const crowds = await Promise.all(senders.map(({ count, behaviour }) => crowd(port, count, behaviour)));
      await eventually('all are disconnected', () => crowds.every((each) => each.left() === 0));
      const disconnectedAfterMs = Math.round(performance.now() - began);
      const service = await goodClient.stop();
      const { quarantine_held: quarantined } = await statisticsOf(running);

      const memory = memoryOf(running.pid);
      printFigures(`senders that never read, ${what}`, {
        connections: senders.reduce((sum, { count }) => sum + count, 0),
        quarantined,
        disconnectedAfterMs,
        responses: service.answered,
        refused: service.refused,
        p50: `${String(service.p50)}ms`,
        p99: `${String(service.p99)}ms`,
        longest: `${String(service.longest)}ms`,
        before: mebibytes(before),
        peak: mebibytes(memory.peak),
      });
      expectBelow(1, service.refused, 'refusals of a good client');
      expect(service.answered).toBeGreaterThan(0);
      expectBelow(MAX_P99_MS, service.p99, 'p99 of a good client');
      expectBelow(maxMemory, memory.peak - before, 'memory of the senders');
      expect(running.written()).not.toMatch(/"level":50|"status":5\d\d/);
    });
  },
);
