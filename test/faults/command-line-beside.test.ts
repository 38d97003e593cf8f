/**
 * The command line beside `serve` under load, either of them killed at any
 * moment: commands end and say how, what was acknowledged is handled, what is
 * retried and replayed is enqueued whole or not at all.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { launchProgram, type Ended } from '../support/launch-program.ts';
import { serve } from '../support/running-portaria.ts';
import { recording, workshop, type Workshop } from '../support/workshop.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { inspectStore, integrityCheck, storedBodies } from './kit/inspect-store.ts';
import { draws, seedOfRun, type Draws } from './kit/seed.ts';
import { createSenders } from './kit/senders.ts';
import { allHandled } from './kit/statistics.ts';
import { charges, logins } from './kit/webhooks.ts';

const ROUNDS = 3;

/** Every other charge is a dead letter until the gate is open. */
function writePicky(place: Workshop): void {
  place.writeHandler(
    'picky.ts',
    `${recording(place)}
    export default defineHandler({
      name: 'picky',
      on: 'charge.*',
      breaker: { failures: 1_000_000, subjects: 1_000_000 },
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

/** What a command may end with: done, failed, and partly done, because `serve` ended meanwhile. */
const ENDS = [0, 1, 5];

/** Runs one command after the other until told to stop; kills some. How each ended that was let. */
async function operate(
  env: Readonly<Record<string, string>>,
  stopped: () => boolean,
  { between }: Draws,
): Promise<{ readonly ended: readonly Ended[]; readonly killed: number }> {
  const ended: Ended[] = [];
  let killed = 0;
  for (let at = between(0, commands.length - 1); !stopped(); at += 1) {
    const program = launchProgram(commands[at % commands.length] ?? [], env);
    if (between(1, 3) === 1) {
      await pause(between(200, 1_000));
      program.child.kill('SIGKILL');
      killed += 1;
      await program.ended;
    } else ended.push(await program.ended);
  }
  return { ended, killed };
}

test('commands and serve, each killed while the other runs, leave nothing by halves', async () => {
  const seed = seedOfRun();
  const random = draws(seed);
  const place = workshop();
  writeBookkeeping(place);
  writePicky(place);
  const env = { PORTARIA_DATABASE: place.database, PORTARIA_HANDLERS: place.handlers };
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

  place.open('gate');
  const running = await serve(env);
  const resending = senders.sendTo(running.url);
  senders.stop();
  await resending;
  await allHandled(running);
  const retry = await launchProgram(['deliveries', 'retry', '--status', 'dead', '--json'], env).ended;
  const { deliveries } = await allHandled(running);
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });

  const bodies = (await inspectStore(place.database, storedBodies)).map(({ body }) => body);
  const kept = new Set(bodies);
  const lost = [...senders.acknowledged.keys()].filter((body) => !kept.has(body));
  const recorded = new Set(place.recorded());
  const unhandled = bodies
    .map((body) => (JSON.parse(body) as { data: { code?: string } }).data.code)
    .filter((code) => code !== undefined)
    .filter((code) => !recorded.has(`booked ${code}`) || !recorded.has(`picked ${code}`));
  printFigures('the command line beside serve', {
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
    // A reason for people, not the trace of a mistake.
    expect(err).not.toMatch(/^\s+at /m);
  }
  expect(retry).toMatchObject({ code: 0, err: '' });
  expect(lost).toEqual([]);
  expect(kept.size).toBe(bodies.length);
  expect(unhandled).toEqual([]);
  expect(deliveries).toMatchObject({ pending: 0, running: 0, dead: 0 });
  expect(integrityCheck(place.database)).toBe('ok');
});
