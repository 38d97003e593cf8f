/** Handlers that end the process: their delivery becomes a dead letter, and other deliveries are handled. */
import { expect, test } from 'vitest';
import { charge } from '../support/webhooks/envelopes.ts';
import { rows, type RunningPortaria } from '../support/running-portaria.ts';
import { recording, createWorkspace, type Workspace } from '../support/workspace.ts';
import { printFigures } from './kit/figures.ts';
import { superviseUntilFinished } from './kit/programs/supervised.ts';

const ATTEMPTS = 1;
/** Attempts that the dispatcher adds to the policy for crashes. */
const EXTRA_ATTEMPTS = 3;

/** Blocks the thread without using a processor. */
const BLOCK = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

/** The charge whose handler ends the process once the gate is open. */
const DEADLY = 2;

function deadlyHandler(workspace: Workspace, statement: string): string {
  return `${recording(workspace)}
    export default defineHandler({
      name: 'deadly',
      on: 'charge.*',
      retry: { attempts: ${String(ATTEMPTS)}, baseMs: 1, maxMs: 1 },
      async handle({ data }, { signal }) {
        await opened('gate', signal);
        if (data.id === ${String(DEADLY)}) { await pause(50); ${statement} }
        await pause(300, undefined, { signal });
      },
    });`;
}

/** Posts every charge before the process ends for the first time. */
function postAll(workspace: Workspace, ids: readonly number[]) {
  return async (running: RunningPortaria): Promise<void> => {
    for (const id of ids) expect((await running.post(charge(id, 1))).status).toBe(202);
    workspace.open('gate');
  };
}

const deadLetter = {
  subject: `charge:${String(DEADLY)}`,
  attempts: ATTEMPTS + EXTRA_ATTEMPTS + 1,
  last_error: expect.stringContaining('the process kept ending while it ran') as string,
};

test.each([
  ['kills its process', "process.kill(process.pid, 'SIGKILL'); for (;;);", { signal: 'SIGKILL' }],
  ['blocks for ever', BLOCK, { signal: 'SIGKILL' }],
])(
  'a delivery whose handler %s becomes a dead letter after a bounded number of restarts',
  async (what, statement, end) => {
    const workspace = createWorkspace();
    workspace.writeHandler('deadly.ts', deadlyHandler(workspace, statement));
    const env = { PORTARIA_DATABASE: workspace.database, PORTARIA_HANDLERS: workspace.handlers };

    const ends = await superviseUntilFinished(env, postAll(workspace, [DEADLY]));

    expect(ends).toMatchObject(Array.from({ length: ATTEMPTS + EXTRA_ATTEMPTS }, () => end));
    const deliveries = await rows(['deliveries', 'list'], env);
    const dead = deliveries.filter(({ status }) => status === 'dead');
    printFigures(`a handler that ${what}`, { ends: ends.length, dead: dead.length });
    expect(deliveries).toMatchObject([{ status: 'dead', ...deadLetter }]);
  },
);

test('deliveries in flight beside a handler that exits are handled', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler('deadly.ts', deadlyHandler(workspace, 'process.exit(0);'));
  const env = { PORTARIA_DATABASE: workspace.database, PORTARIA_HANDLERS: workspace.handlers };
  const others = [0, 1, 3, 4];

  const ends = await superviseUntilFinished(env, postAll(workspace, [...others, DEADLY]));

  expect(ends).toHaveLength(ATTEMPTS + EXTRA_ATTEMPTS);
  for (const { code, out } of ends) {
    // Not the 0 that was passed: a supervisor would not restart the process.
    expect(code).toBe(1);
    expect(out).toMatch(/called process\.exit\(0\).*deadly\.ts/);
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
