/**
 * Replays that are cut short, by `kill -9` of whoever orders and runs them or by
 * a full disk: resumed, each event is enqueued once and handled at least once,
 * in the order of its subject.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { freeBytes } from '../../src/store/sqlite/file/disk.ts';
import { eventually } from '../support/eventually.ts';
import { launchProgram, type Program } from '../support/launch-program.ts';
import { rows, serve, type RunningPortaria } from '../support/running-portaria.ts';
import { recording, workshop, type Workshop } from '../support/workshop.ts';
import { printFigures } from './kit/figures.ts';
import { fillDatabase } from './kit/filled-store.ts';
import { inspectStore, integrityCheck } from './kit/inspect-store.ts';
import { need } from './kit/needs.ts';
import { draws, seedOfRun } from './kit/seed.ts';
import { mountSmallDisk } from './kit/small-disk.ts';
import { chargeBody, loginBody } from './kit/webhooks.ts';

const SUBJECTS = 6;
const EACH = 200;
const EVENTS = SUBJECTS * EACH;
const ROUNDS = 3;

interface Setup {
  readonly place: Workshop;
  readonly env: Readonly<Record<string, string>>;
}

/** A database of charges that no handler has seen, and a handler that takes its time with each. */
async function setUp(database?: string): Promise<Setup> {
  const place = workshop();
  place.writeHandler(
    'books.ts',
    `${recording(place)}
    export default defineHandler({
      name: 'books',
      on: 'charge.*',
      retry: { attempts: 20 },
      async handle({ data }) {
        record('booked ' + data.code);
        await pause(4);
      },
    });`,
  );
  const env = {
    PORTARIA_DATABASE: database ?? place.database,
    PORTARIA_HANDLERS: place.handlers,
    PORTARIA_LOG_FORMAT: 'json',
    PORTARIA_CONCURRENCY: '4',
  };
  const turns = Array.from({ length: EACH }, (_, turn) => turn + 1);
  const bodies = turns.flatMap((turn) =>
    Array.from({ length: SUBJECTS }, (_, subject) => chargeBody(subject, turn)),
  );
  await fillDatabase(env.PORTARIA_DATABASE, bodies);
  return { place, env };
}

/** Begins the replay of everything, or goes on with the one there is. */
async function replay({ env }: Setup): Promise<Program> {
  const [known] = await rows(['replay', 'list'], env);
  const which = known === undefined ? ['--handler', 'books'] : ['--resume', String(known['id'])];
  return launchProgram(['replay', ...which, '--yes', '--json'], env);
}

async function killReplay({ child, ended }: Program): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

async function killServe(running: RunningPortaria | undefined): Promise<void> {
  running?.kill('SIGKILL');
  await running?.ended;
}

interface Whole {
  readonly handled: number;
  readonly again: number;
}

/** That the replay, once it is through, has done what it was meant to. */
async function expectWhole({ place, env }: Setup, last: Program): Promise<Whole> {
  expect(await last.ended).toMatchObject({ code: 0, signal: null });
  const recorded = place.recorded();
  expect(new Set(recorded).size).toBe(EVENTS);
  for (let subject = 0; subject < SUBJECTS; subject += 1) {
    const turns = recorded
      .filter((line) => line.startsWith(`booked ${String(subject)}-`))
      .map((line) => Number(line.split('-')[1]));
    expect(turns).toEqual(turns.toSorted((one, other) => one - other));
  }
  const { deliveries } = await inspectStore(env['PORTARIA_DATABASE'] ?? '', (store) => store.statistics());
  expect(deliveries).toMatchObject({ succeeded: EVENTS, pending: 0, running: 0, dead: 0 });
  expect(await rows(['replay', 'list'], env)).toMatchObject([{ status: 'finished' }]);
  expect(integrityCheck(env['PORTARIA_DATABASE'] ?? '')).toBe('ok');
  const handled = new Set(recorded).size;
  return { handled, again: recorded.length - handled };
}

test.each([
  ['beside the process that runs them', true],
  ['on its own', false],
])('a replay %s, killed again and again, is whole when it is resumed', async (how, beside) => {
  const seed = seedOfRun();
  const { between } = draws(seed);
  const setup = await setUp();
  const start = () => (beside ? serve(setup.env) : Promise.resolve(undefined));

  const share = EVENTS / (ROUNDS + 1);

  const killedAt: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const running = await start();
    const program = await replay(setup);
    const enough = between(round * share + 1, (round + 1) * share);
    await eventually('enough is handled', () => setup.place.recorded().length >= enough);
    killedAt.push(setup.place.recorded().length);
    if (round % 2 === 0) await killReplay(program);
    await killServe(running);
    await killReplay(program);
  }
  const running = await start();
  const { handled, again } = await expectWhole(setup, await replay(setup));
  await killServe(running);

  printFigures(`replay killed ${how}`, {
    seed,
    events: EVENTS,
    'killed-at': killedAt.join(','),
    handled,
    'handled-again': again,
    lost: EVENTS - handled,
  });
});

test('a disk that is full meanwhile holds a replay up, and no longer', async (context) => {
  need(context, 'mount');
  const disk = mountSmallDisk(join(workshop().folder, 'disk'), 'size=32m');
  const setup = await setUp(join(disk.folder, 'portaria.db'));
  const running = await serve(setup.env);
  const healthy = async (): Promise<boolean> => (await fetch(new URL('/healthz', running.url))).ok;
  const filler = join(disk.folder, 'filler');

  const program = await replay(setup);
  await eventually('it is under way', () => setup.place.recorded().length >= EVENTS / 4);
  fill(filler);
  // Rows that are only changed may find room in the log for long: new ones need some of their own.
  let arriving = 0;
  await eventually('there is no room', async () => {
    arriving += 1;
    return (await running.post(longLogin(arriving))).status === 503;
  });
  const whenFull = setup.place.recorded().length;
  rmSync(filler);
  await eventually('there is room again', healthy);
  const { code, err } = await program.ended;
  // Whatever it did about that: it said so, and can be resumed.
  if (code !== 0) expect(err).toMatch(/the disk is full: make room/);
  const { handled, again } = await expectWhole(setup, await replay(setup));

  printFigures('disk full during a replay', {
    events: EVENTS,
    'handled-until-full': whenFull,
    'replay-ended-with': String(code),
    handled,
    'handled-again': again,
    lost: EVENTS - handled,
  });
});

/** An event that no handler here asks for, and that takes a page of the database. */
function longLogin(id: number): unknown {
  const { type, data } = JSON.parse(loginBody(id, 0)) as { type: string; data: object };
  return { type, data: { ...data, note: 'x'.repeat(3_000) } };
}

/** Takes what room there is, and what somebody else takes meanwhile is none. */
function fill(file: string): void {
  const room = freeBytes(dirname(file));
  try {
    writeFileSync(file, Buffer.alloc(room));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
