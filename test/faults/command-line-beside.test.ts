/**
 * Given commands beside a `serve` under load, either of them killed at any moment: commands end with a
 * known exit code, acknowledged events are handled, and retries and replays are enqueued atomically.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { launchProgram, type Ended, type Program } from '../support/launch-program.ts';
import { serve } from '../support/running-portaria.ts';
import { recording, createWorkspace, type Workspace } from '../support/workspace.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { inspectStore, integrityCheck, storedBodies } from './kit/inspect-store.ts';
import { draws, seedOfRun, type Draws } from './kit/seed.ts';
import { createSenders } from './kit/senders/senders.ts';
import { allHandled } from './kit/statistics.ts';
import { charges, logins } from './kit/senders/webhooks.ts';

const ROUNDS = 2;

/** A handler that gives up on every other charge until the gate is open. */
function writePicky(workspace: Workspace): void {
  workspace.writeHandler(
    'picky.ts',
    `${recording(workspace)}
    export default defineHandler({
      name: 'picky',
      on: 'charge.*',
      breaker: { failures: 1_000_000, giveUps: 1_000_000 },
      handle({ data }) {
        if (data.amount % 2 === 0 && !existsSync(join(folder, 'gate'))) throw new GiveUp('not yet');
        record('picked ' + data.code);
      },
    });`,
  );
}

const commands: readonly (readonly string[])[] = [
  ['events', 'list', '--limit', '200', '--json'],
  ['deliveries', 'retry', '--status', 'dead', '--json'],
  ['replay', '--handler', 'booked', '--yes', '--json'],
  ['stats', '--json'],
  ['subjects', 'show', 'charge:1', '--json'],
];

/** The exit codes a command may have: done, failed, and partly done because `serve` ended. */
const ENDS = [0, 1, 5];

const hasEnded = ({ child }: Program): boolean => (child.exitCode ?? child.signalCode) !== null;

/**
 * Runs one command after the other until `stopped`, and kills some, and what then watches a job that no process runs.
 * Returns how the others ended.
 */
async function operate(
  env: Readonly<Record<string, string>>,
  stopped: () => boolean,
  { between }: Draws,
): Promise<{ readonly ended: readonly Ended[]; readonly killed: number }> {
  const ended: Ended[] = [];
  let killed = 0;
  for (let at = between(0, commands.length - 1); !stopped(); at += 1) {
    const program = launchProgram(commands[at % commands.length] ?? [], env);
    if (between(1, 3) === 1) await pause(between(200, 1_000));
    else
      await eventually(
        'the command ends or watches',
        () => hasEnded(program) || (stopped() && /^Job /mu.test(program.out())),
      );
    if (hasEnded(program)) ended.push(await program.ended);
    else {
      program.child.kill('SIGKILL');
      killed += 1;
      await program.ended;
    }
  }
  return { ended, killed };
}

test('commands and serve, each killed while the other runs, leave no partial change', async () => {
  const seed = seedOfRun();
  const random = draws(seed);
  const workspace = createWorkspace();
  writeBookkeeping(workspace);
  writePicky(workspace);
  const env = workspace.settings;
  const senders = createSenders([...[1, 2, 3, 4].map(charges), ...[1, 2].map(logins)]);

  const ended: Ended[] = [];
  let killed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    let over = false;
    const running = await serve(env);
    const sending = senders.sendTo(running.url);
    const operators = [1, 2].map(() => operate(env, () => over, random));
    const enough = senders.acknowledged.size + random.between(200, 500);
    await eventually('enough is acknowledged', () => senders.acknowledged.size >= enough);
    running.kill('SIGKILL');
    over = true;
    await Promise.all([sending, running.ended]);
    for (const operator of await Promise.all(operators)) {
      ended.push(...operator.ended);
      killed += operator.killed;
    }
  }

  workspace.open('gate');
  const running = await serve(env);
  const resending = senders.sendTo(running.url);
  senders.stop();
  await resending;
  await allHandled(running);
  const all = ['--status', 'dead', '--include-overtaken', '--json'];
  const retry = await launchProgram(['deliveries', 'retry', ...all], env).ended;
  const { deliveries } = await allHandled(running);
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });

  const bodies = (await inspectStore(workspace.database, storedBodies)).map(({ body }) => body);
  const kept = new Set(bodies);
  const lost = [...senders.acknowledged.keys()].filter((body) => !kept.has(body));
  const recorded = new Set(workspace.recorded());
  const unhandled = bodies
    .map((body) => (JSON.parse(body) as { data: { code?: string } }).data.code)
    .filter((code) => code !== undefined)
    .filter((code) => !recorded.has(`booked ${code}`) || !recorded.has(`picked ${code}`));
  printFigures('commands beside serve', {
    seed,
    rounds: ROUNDS,
    commands: ended.length,
    'ended-with': ENDS.map(
      (code) => `${String(code)}:${String(ended.filter((end) => end.code === code).length)}`,
    ).join(','),
    killed,
    acknowledged: senders.acknowledged.size,
    stored: bodies.length,
    deliveries: deliveries.succeeded,
    lost: lost.length + unhandled.length,
  });
  for (const { code, signal, err } of ended) {
    expect({ signal, known: ENDS.includes(code ?? -1), err }).toMatchObject({ signal: null, known: true });
    // Errors are for people: no stack trace.
    expect(err).not.toMatch(/^\s+at /m);
  }
  expect(retry).toMatchObject({ code: 0, err: '' });
  expect(lost).toEqual([]);
  expect(kept.size).toBe(bodies.length);
  expect(unhandled).toEqual([]);
  expect(deliveries).toMatchObject({ pending: 0, running: 0, dead: 0 });
  expect(integrityCheck(workspace.database)).toBe('ok');
});
