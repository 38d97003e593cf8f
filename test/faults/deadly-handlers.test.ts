/** Handlers that end the process: it starts again, they do not do so for ever, and do not take others along. */
import { expect, test } from 'vitest';
import { charge } from '../support/envelopes.ts';
import { rows, type RunningPortaria } from '../support/running-portaria.ts';
import { recording, workshop, type Workshop } from '../support/workshop.ts';
import { printFigures } from './kit/figures.ts';
import { superviseUntilSettled } from './kit/supervised.ts';

const TRIES = 1;
/** Tries beyond the policy's for what a crash cut short (see `judgeCrashes`). */
const FORGIVEN = 3;

/** Its thread does nothing else any more; a loop would not either, and take a processor from the others. */
const BLOCK = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

/** The charge whose handler is deadly once the gate is open; those of the others take a while. */
const DEADLY = 2;

function deadlyHandler(place: Workshop, statement: string): string {
  return `${recording(place)}
    export default defineHandler({
      name: 'deadly',
      on: 'charge.*',
      retry: { attempts: ${String(TRIES)}, baseMs: 1, maxMs: 1 },
      async handle({ data }, { signal }) {
        await opened('gate', signal);
        if (data.id === ${String(DEADLY)}) { await pause(50); ${statement} }
        await pause(300, undefined, { signal });
      },
    });`;
}

/** Has them all under way before the first end. */
function postAll(place: Workshop, ids: readonly number[]) {
  return async (running: RunningPortaria): Promise<void> => {
    for (const id of ids) expect((await running.post(charge(id, 1))).status).toBe(202);
    place.open('gate');
  };
}

const deadLetter = {
  subject: `charge:${String(DEADLY)}`,
  attempts: TRIES + FORGIVEN + 1,
  last_error: expect.stringContaining('the process kept ending while it ran') as string,
};

test.each([
  ['kills its process', "process.kill(process.pid, 'SIGKILL'); for (;;);", { signal: 'SIGKILL' }],
  ['blocks for ever', BLOCK, { signal: 'SIGKILL' }],
])('a handler that %s ends as a dead letter instead of ending every start', async (what, statement, end) => {
  const place = workshop();
  place.writeHandler('deadly.ts', deadlyHandler(place, statement));
  const env = { PORTARIA_DATABASE: place.database, PORTARIA_HANDLERS: place.handlers };

  const ends = await superviseUntilSettled(env, postAll(place, [DEADLY]));

  expect(ends).toMatchObject(Array.from({ length: TRIES + FORGIVEN }, () => end));
  const deliveries = await rows(['deliveries', 'list'], env);
  const dead = deliveries.filter(({ status }) => status === 'dead');
  printFigures(`a handler that ${what}`, { ends: ends.length, dead: dead.length });
  expect(deliveries).toMatchObject([{ status: 'dead', ...deadLetter }]);
});

test('a handler that exits does so alone: what is under way beside it each time is handled', async () => {
  const place = workshop();
  place.writeHandler('deadly.ts', deadlyHandler(place, 'process.exit(0);'));
  const env = { PORTARIA_DATABASE: place.database, PORTARIA_HANDLERS: place.handlers };
  const others = [0, 1, 3, 4];

  const ends = await superviseUntilSettled(env, postAll(place, [...others, DEADLY]));

  expect(ends).toHaveLength(TRIES + FORGIVEN);
  for (const { code, out } of ends) {
    // Not what was asked for: a supervisor takes 0 for a wish to stay down.
    expect(code).toBe(1);
    expect(out).toMatch(/process\.exit\(0\) was called.*deadly\.ts/);
  }
  const dead = await rows(['deliveries', 'list', '--status', 'dead'], env);
  const handled = await rows(['deliveries', 'list', '--status', 'succeeded'], env);
  printFigures('a handler that exits', {
    ends: ends.length,
    dead: dead.length,
    others: others.length,
    othersHandled: handled.length,
  });
  expect(dead).toMatchObject([deadLetter]);
  expect(handled).toHaveLength(others.length);
});
