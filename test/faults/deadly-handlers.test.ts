/** Handlers that end the process: their delivery becomes a dead letter, and other deliveries are handled. */
import { expect, test } from 'vitest';
import type { Ended } from '../support/launch-program.ts';
import { charge } from '../support/webhooks/envelopes.ts';
import { rows, serve } from '../support/running-portaria.ts';
import { recording, createWorkspace } from '../support/workspace.ts';
import { printFigures } from './kit/figures.ts';
import { allHandled } from './kit/statistics.ts';

/** The one attempt of the policy, and those that the dispatcher adds for crashes. */
const ENDS = 1 + 3;

/** The charge whose handler ends the process: at first once all others run beside it, later once all have ended. */
const DEADLY = 2;
const OTHERS = [0, 1, 3, 4];

/**
 * Posts charges, one of whose handlers ends the process, and restarts the process whenever it ends, as a supervisor
 * does, until all is handled. Returns how each process ended but the last one.
 */
async function superviseWith(statement: string) {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'deadly.ts',
    `import { readFileSync } from 'node:fs';
    ${recording(workspace)}
    export default defineHandler({
      name: 'deadly',
      on: 'charge.*',
      retry: { attempts: 1, baseMs: 1, maxMs: 1 },
      async handle({ data }, { attempt, signal }) {
        await opened('gate', signal);
        record(attempt === 1 ? 'begun' : 'done');
        if (data.id !== ${String(DEADLY)}) return attempt === 1 ? opened('never', signal) : undefined;
        const all = () => readFileSync(join(folder, 'record'), 'utf8').split(attempt === 1 ? 'begun' : 'done');
        while (all().length <= ${String(OTHERS.length)} + 1) await pause(10);
        ${statement}
      },
    });`,
  );
  const env = workspace.settings;
  const ends: Ended[] = [];
  for (let running = await serve(env); ; running = await serve(env)) {
    if (ends.length === 0) {
      for (const id of [...OTHERS, DEADLY]) expect((await running.post(charge(id, 1))).status).toBe(202);
      workspace.open('gate');
    }
    const isHandled = allHandled(running).then(
      () => true,
      () => false,
    );
    if (await Promise.race([isHandled, running.ended.then(() => false)])) break;
    ends.push(await running.ended);
    if (ends.length > ENDS) throw new Error(`the process keeps ending:\n${running.written()}`);
  }
  const deliveries = await rows(['deliveries', 'list'], env);
  return { ends, deliveries: Map.groupBy(deliveries, ({ status }) => status) };
}

test.each([
  ['kills its process', "process.kill(process.pid, 'SIGKILL'); for (;;);"],
  ['exits', 'process.exit(0);'],
])(
  'a delivery whose handler %s becomes a dead letter, and those beside it are handled',
  async (what, how) => {
    const { ends, deliveries } = await superviseWith(how);

    printFigures(`a handler that ${what}`, { ends: ends.length });
    expect(ends).toHaveLength(ENDS);
    for (const { code, signal, out } of ends)
      if (what === 'exits') {
        // Not the 0 that was passed: a supervisor would not restart the process.
        expect(code).toBe(1);
        expect(out).toMatch(/called process\.exit\(0\).*deadly\.ts/);
      } else expect(signal).toBe('SIGKILL');
    expect(deliveries.get('dead')).toMatchObject([
      {
        subject: `charge:${String(DEADLY)}`,
        attempts: ENDS + 1,
        last_error: expect.stringContaining('the process kept ending while it ran') as string,
      },
    ]);
    expect(deliveries.get('succeeded')).toHaveLength(OTHERS.length);
  },
);
