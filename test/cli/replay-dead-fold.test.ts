import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliWorld, violation } from './cli-world.ts';

/** Dies of `odd` until it is mended. Its effect writes down each change, and whether it came late or again. */
const ledger = `
  import { appendFileSync, existsSync } from 'node:fs';
  import { defineMachine } from 'portaria';
  export default defineMachine({
    name: 'ledger', on: 'traffic-violation.*', initial: { status: 'none' },
    retry: { attempts: 1, baseMs: 1, maxMs: 1 },
    evolve: (state, { data }) => {
      if (data.status === 'odd' && !existsSync(new URL('../mended', import.meta.url))) throw new Error('odd');
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

/** Of three events the machine has died of the second; the third changed nothing, without it. */
async function openWithDeadFold() {
  const world = cliWorld({ ledger });
  await world.seed([violation(1, 'pending'), violation(1, 'odd'), violation(1, 'pending')].map(distinct));
  await world.dispatch();
  const file = join(world.folder, 'changes.txt');
  let read = 0;
  return {
    ...world,
    mend: () => {
      writeFileSync(join(world.folder, 'mended'), '');
    },
    replay: () => world.run('replay', '--yes', '--id', '2', '--json'),
    /** Those since the last look. */
    changes() {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
      return lines.slice(read, (read = lines.length));
    },
  };
}

/** The same statuses in events that are not each other's repeats. */
function distinct({ type, data }: ReturnType<typeof violation>, index: number) {
  return { type, data: { ...(data as object), amount: index } };
}

test('given a replay of an event that the machine died of: what it brings about later is delivered, too', async () => {
  const { changes, mend, replay, dispatch } = await openWithDeadFold();
  expect(changes()).toEqual(['none pending']);

  mend();
  await replay();
  await dispatch();

  expect(changes()).toEqual(['pending odd  again', 'odd pending late']);
});

test('the next replay repeats its own effect only', async () => {
  const { changes, mend, replay, dispatch } = await openWithDeadFold();
  mend();
  await replay();
  await dispatch();
  changes();

  await replay();
  await dispatch();

  expect(changes()).toEqual(['pending odd  again']);
});
