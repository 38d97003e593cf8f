import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliEnvironment, violation } from '../kit/cli-environment.ts';

/** A machine that fails for `odd` until it is fixed. Its effect records each change, and whether it was late or replayed. */
const ledger = `
  import { appendFileSync, existsSync } from 'node:fs';
  import { defineMachine } from 'portaria';
  export default defineMachine({
    name: 'ledger', on: 'traffic-violation.*', initial: { status: 'none' },
    retry: { attempts: 1, baseMs: 1, maxMs: 1 },
    evolve: (state, { data }) => {
      if (data.status === 'odd' && !existsSync(new URL('../fixed', import.meta.url))) throw new Error('odd');
      return { status: data.status };
    },
    effects: {
      onChanged: {
        when: ({ before, after }) => before.status !== after.status,
        run({ before, after, late }, { replay }) {
          const line = [before.status, after.status, late ? 'late' : '', replay ? 'again' : ''].join(' ');
          appendFileSync(new URL('../changes.txt', import.meta.url), line.trimEnd() + '\\n');
        },
      },
    },
  });`;

/** Given three events: the fold of the second is dead, and the third changed nothing without it. */
async function openWithDeadFold() {
  const cli = cliEnvironment({ ledger });
  await cli.seed([violation(1, 'pending'), violation(1, 'odd'), violation(1, 'pending')].map(distinct));
  await cli.dispatch();
  const file = join(cli.folder, 'changes.txt');
  let read = 0;
  return {
    ...cli,
    fix: () => {
      writeFileSync(join(cli.folder, 'fixed'), '');
    },
    async replay() {
      const stop = await cli.serve();
      await cli.run('replay', '--yes', '--id', '2', '--json');
      await stop();
    },
    /** The changes since the last call. */
    changes() {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
      return lines.slice(read, (read = lines.length));
    },
  };
}

/** Makes events with the same status differ, so that none is a repeat. */
function distinct({ type, data }: ReturnType<typeof violation>, index: number) {
  return { type, data: { ...(data as object), amount: index } };
}

test('given a dead fold, a replay of its event also delivers the late effects of later events', async () => {
  const { changes, fix, replay, dispatch } = await openWithDeadFold();
  expect(changes()).toEqual(['none pending']);

  fix();
  await replay();
  await dispatch();

  expect(changes()).toEqual(['pending odd  again', 'odd pending late']);
});

test('a second replay repeats only the effect of its own event', async () => {
  const { changes, fix, replay, dispatch } = await openWithDeadFold();
  fix();
  await replay();
  await dispatch();
  changes();

  await replay();
  await dispatch();

  expect(changes()).toEqual(['pending odd  again']);
});
