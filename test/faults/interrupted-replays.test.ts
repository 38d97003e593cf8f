/**
 * Given a replay interrupted by `kill -9` or a full disk: in the end, each event was enqueued once and
 * handled at least once, in the order of its subject.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { freeBytes } from '../../src/store/sqlite/file/disk.ts';
import { eventually } from '../support/eventually.ts';
import { launchProgram, type Program } from '../support/launch-program.ts';
import { rows, serve, type RunningPortaria } from '../support/running-portaria.ts';
import { recording, createWorkspace, type Workspace } from '../support/workspace.ts';
import { printFigures } from './kit/figures.ts';
import { fillDatabase } from './kit/filled-store.ts';
import { inspectStore, integrityCheck } from './kit/inspect-store.ts';
import { need } from './kit/needs.ts';
import { draws, seedOfRun } from './kit/seed.ts';
import { mountSmallDisk } from './kit/disk/small-disk.ts';
import { chargeBody, loginBody } from './kit/senders/webhooks.ts';

const SUBJECTS = 6;
const EACH = 60;
const EVENTS = SUBJECTS * EACH;
const ROUNDS = 2;

interface Setup {
  readonly workspace: Workspace;
  readonly env: Readonly<Record<string, string>>;
}

/** Creates a database of unhandled charges, and a handler that needs a few milliseconds for each. */
async function setUp(database?: string): Promise<Setup> {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'books.ts',
    `${recording(workspace)}
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
    PORTARIA_DATABASE: database ?? workspace.database,
    PORTARIA_HANDLERS: workspace.handlers,
    PORTARIA_LOG_FORMAT: 'json',
    PORTARIA_CONCURRENCY: '4',
  };
  const numbers = Array.from({ length: EACH }, (_, number) => number + 1);
  const bodies = numbers.flatMap((number) =>
    Array.from({ length: SUBJECTS }, (_, subject) => chargeBody(subject, number)),
  );
  await fillDatabase(env.PORTARIA_DATABASE, bodies);
  return { workspace, env };
}

/** Starts a replay of all events, or watches the one that there is. */
async function replay({ env }: Setup): Promise<Program> {
  const [known] = await rows(['jobs', 'list'], env);
  if (known === undefined) return launchProgram(['replay', '--handler', 'books', '--yes', '--json'], env);
  return launchProgram(['jobs', 'show', String(known['id']), '--watch', '--json'], env);
}

async function killReplay({ child, ended }: Program): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

async function killServe(running: RunningPortaria): Promise<void> {
  running.kill('SIGKILL');
  await running.ended;
}

interface Counts {
  readonly handled: number;
  readonly twice: number;
}

/** Checks that the replay has finished and handled every event in order. */
async function expectComplete({ workspace, env }: Setup, last: Program): Promise<Counts> {
  expect(await last.ended).toMatchObject({ code: 0, signal: null });
  const recorded = workspace.recorded();
  expect(new Set(recorded).size).toBe(EVENTS);
  for (let subject = 0; subject < SUBJECTS; subject += 1) {
    const numbers = recorded
      .filter((line) => line.startsWith(`booked ${String(subject)}-`))
      .map((line) => Number(line.split('-')[1]));
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  }
  const { deliveries } = await inspectStore(env['PORTARIA_DATABASE'] ?? '', (store) => store.statistics());
  expect(deliveries).toMatchObject({ succeeded: EVENTS, pending: 0, running: 0, dead: 0 });
  expect(await rows(['jobs', 'list'], env)).toMatchObject([{ state: 'finished', succeeded: EVENTS }]);
  expect(integrityCheck(env['PORTARIA_DATABASE'] ?? '')).toBe('ok');
  const handled = new Set(recorded).size;
  return { handled, twice: recorded.length - handled };
}

test('a replay whose serve and command are killed repeatedly is complete in the end', async () => {
  const seed = seedOfRun();
  const { between } = draws(seed);
  const setup = await setUp();

  const share = EVENTS / (ROUNDS + 1);

  const killedAt: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const running = await serve(setup.env);
    const program = await replay(setup);
    const enough = between(round * share + 1, (round + 1) * share);
    await eventually('enough is handled', () => setup.workspace.recorded().length >= enough);
    killedAt.push(setup.workspace.recorded().length);
    if (round % 2 === 0) await killReplay(program);
    await killServe(running);
    await killReplay(program);
  }
  const running = await serve(setup.env);
  const { handled, twice } = await expectComplete(setup, await replay(setup));
  await killServe(running);

  printFigures('replay killed', {
    seed,
    events: EVENTS,
    'killed-at': killedAt.join(','),
    handled,
    'handled-twice': twice,
    lost: EVENTS - handled,
  });
});

test('a disk that fills up pauses a replay until there is room', async (context) => {
  need(context, 'mount');
  const disk = mountSmallDisk(join(createWorkspace().folder, 'disk'), 'size=32m');
  const setup = await setUp(join(disk.folder, 'portaria.db'));
  const running = await serve(setup.env);
  const healthy = async (): Promise<boolean> => (await fetch(new URL('/healthz', running.url))).ok;
  const filler = join(disk.folder, 'filler');

  const program = await replay(setup);
  await eventually('a quarter is handled', () => setup.workspace.recorded().length >= EVENTS / 4);
  fill(filler);
  // Updates may fit into the log for long, so new events are sent until one is rejected.
  let arriving = 0;
  await eventually('the disk is full', async () => {
    arriving += 1;
    return (await running.post(longLogin(arriving))).status === 503;
  });
  const whenFull = setup.workspace.recorded().length;
  rmSync(filler);
  await eventually('the process is healthy again', healthy);
  const { code, err } = await program.ended;
  // The command may have failed. Then it says why, and the job goes on.
  if (code !== 0) expect(err).toMatch(/the disk is full: make room/);
  const { handled, twice } = await expectComplete(setup, await replay(setup));

  printFigures('disk full during a replay', {
    events: EVENTS,
    'handled-until-full': whenFull,
    'replay-ended-with': String(code),
    handled,
    'handled-twice': twice,
    lost: EVENTS - handled,
  });
});

/** An event that no handler takes and that fills a database page. */
function longLogin(id: number): unknown {
  const { type, data } = JSON.parse(loginBody(id, 0)) as { type: string; data: object };
  return { type, data: { ...data, note: 'x'.repeat(3_000) } };
}

/** Fills the disk. Other writers may take room at the same time. */
function fill(file: string): void {
  const room = freeBytes(dirname(file));
  try {
    writeFileSync(file, Buffer.alloc(room));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
