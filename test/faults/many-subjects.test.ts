/** Two million subjects, each with a delivery that waits: a quick start, bounded memory, first come, first served. */
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { serve } from '../support/running-portaria.ts';
import { workshop } from '../support/workshop.ts';
import { cloneCharges } from './kit/cloned-store.ts';
import { mebibytes, printFigures } from './kit/figures.ts';
import { startGoodClient } from './kit/good-client.ts';
import { need } from './kit/needs.ts';
import { memoryOf } from './kit/process-figures.ts';
import { writePromptHandlers } from './kit/prompt-handlers.ts';

const SUBJECTS = 2_000_000;
/** Enough of them to see that it goes on: memory that grew with what waits would have grown by then. */
const HANDLED = 10_000;

const MiB = 1024 * 1024;

test(
  `${SUBJECTS.toLocaleString('en')} subjects with something to do`,
  { timeout: 240_000 },
  async (context) => {
    need(context, 'linux', 'room');
    const place = workshop();
    writePromptHandlers(place);
    const env = { PORTARIA_DATABASE: place.database, PORTARIA_HANDLERS: place.handlers };
    const empty = await serve({ ...env, PORTARIA_DATABASE: workshop().database });
    const idle = memoryOf(empty.pid).resident;
    empty.kill('SIGTERM');
    await empty.ended;
    await cloneCharges(place.database, SUBJECTS, { handler: 'prompt', order: 'subject', stale: false });

    const started = performance.now();
    const running = await serve(env);
    const readyMs = Math.round(performance.now() - started);
    const client = startGoodClient(running.url, 1);
    await eventually('many are handled', () => place.recorded().length >= HANDLED, 60_000);
    const seconds = (performance.now() - started - readyMs) / 1_000;
    const { answered, refused, p99 } = await client.stop();
    const grown = memoryOf(running.pid).peak - idle;
    const subjects = place.recorded().map((line) => Number(/^prompt (\d+)-1$/.exec(line)?.[1]));
    const first = subjects[0] ?? NaN;
    // Those in hand at a time may overtake each other, no others.
    const overtaken = subjects.filter((subject, index) => Math.abs(subject - first - index) > 100);

    printFigures('two million subjects', {
      subjects: SUBJECTS,
      'ready-ms': readyMs,
      handled: subjects.length,
      'handled-per-second': Math.round(HANDLED / seconds),
      'out-of-turn': overtaken.length,
      'good-client-answered': answered,
      'good-client-p99-ms': p99,
      'memory-over-idle': mebibytes(grown),
    });
    expect(refused).toBe(0);
    expect(p99).toBeLessThan(1_000);
    expect(new Set(subjects).size).toBe(subjects.length);
    expect(overtaken).toEqual([]);
    expect(grown).toBeLessThan(150 * MiB);
  },
);
