/** Given two SIGTERMs under load: the process ends cleanly at once, and the next start continues. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { launchProgram } from '../support/launch-program.ts';
import { expectBelow } from '../support/measured.ts';
import { connect } from '../support/raw-connection.ts';
import { rows, serve, startServe, type RunningPortaria } from '../support/running-portaria.ts';
import { recording, createWorkspace, type Workspace } from '../support/workspace.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { inspectStore, integrityCheck, storedBodies } from './kit/inspect-store.ts';
import { draws, seedOfRun, type Draws } from './kit/seed.ts';
import { createSenders, type Senders } from './kit/senders/senders.ts';
import { allHandled, statisticsOf } from './kit/statistics.ts';
import { charges, logins } from './kit/senders/webhooks.ts';

const ROUNDS = 2;
const STARTS = 4;
/** The most milliseconds from the second signal to the end of the process. */
const MAX_STOP_MS = 5_000;
/** The longest grace period after the first signal. Processes that waited for it would outlast the test. */
const GRACE_MS = 600_000;

/** Writes handlers that still run when the signal comes. One ignores its abort signal. */
function writeSlowHandlers(workspace: Workspace): void {
  workspace.writeHandler(
    'slow.ts',
    `${recording(workspace)}
const rest = { on: 'charge.*', order: 'handler', timeoutMs: 600_000 } as const;

export const waits = defineHandler({ ...rest, name: 'waits', handle: (_, { signal }) => opened('gate', signal) });

export const ignores = defineHandler({
  ...rest,
  name: 'ignores',
  handle: () => opened('gate', new AbortController().signal),
});

export const fails = defineHandler({
  name: 'fails',
  on: 'charge.*',
  retry: { attempts: 3, baseMs: 5, maxMs: 10 },
  breaker: { failures: 1_000_000, subjects: 1_000_000 },
  handle(_, { attempt }) {
    if (attempt === 1) throw new Error('fails the first attempt');
  },
});
`,
  );
}

function environment(workspace: Workspace): Readonly<Record<string, string>> {
  return {
    ...workspace.settings,
    PORTARIA_SHUTDOWN_GRACE_MS: String(GRACE_MS),
    PORTARIA_BODY_TIMEOUT_MS: String(GRACE_MS),
  };
}

/** Sends half a webhook and then nothing more. */
async function halfAWebhook({ url }: RunningPortaria): Promise<void> {
  const { send } = await connect(Number(new URL(url).port));
  send('POST /webhooks HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{"type":');
}

/** Reads the private port again and again until it is closed. */
async function watch(running: RunningPortaria): Promise<void> {
  while ((await statisticsOf(running).catch(() => undefined)) !== undefined) await pause(5);
}

/** @returns milliseconds from the second signal to the end */
async function stopTwice(workspace: Workspace, senders: Senders, { between }: Draws): Promise<number> {
  const running = await serve(environment(workspace));
  await halfAWebhook(running);
  const replay = launchProgram(['replay', '--handler', 'booked', '--yes'], environment(workspace));
  const others = [senders.sendTo(running.url), watch(running)];
  const enough = senders.acknowledged.size + between(50, 300);
  await eventually('enough is acknowledged', () => senders.acknowledged.size >= enough);

  running.kill('SIGTERM');
  // The kernel merges two signals that the process has not handled yet.
  await eventually('the first signal is handled', () =>
    running.written().includes('stopping: running handlers'),
  );
  // Two signals within 150 ms count as one.
  await pause(between(200, 260));
  running.kill('SIGTERM');
  const from = performance.now();
  const ended = await running.ended;
  const ms = Math.round(performance.now() - from);
  senders.stop();
  await Promise.all(others);

  expect(ended).toMatchObject({ code: 0, signal: null, err: '' });
  // It watches its job, which the next process continues.
  replay.child.kill('SIGKILL');
  await replay.ended;
  return ms;
}

test('two signals under load lose nothing and cost no attempt', async () => {
  const seed = seedOfRun();
  const random = draws(seed);
  const workspace = createWorkspace();
  writeBookkeeping(workspace);
  writeSlowHandlers(workspace);
  const senders = createSenders([...[1, 2, 3, 4].map(charges), ...[1, 2].map(logins)]);

  const stops: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) stops.push(await stopTwice(workspace, senders, random));

  workspace.open('gate');
  const running = await serve(environment(workspace));
  const sending = senders.sendTo(running.url);
  senders.stop();
  await sending;
  const jobs = await eventually('no job runs', async () => {
    const found = await rows(['jobs', 'list'], environment(workspace));
    return found.every(({ state }) => state !== 'running') && found;
  });
  const counted = (await allHandled(running)).deliveries;
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });

  const { bodies, deliveries } = await inspectStore(workspace.database, async (store) => ({
    bodies: (await storedBodies(store)).map(({ body }) => body),
    deliveries: await store.deliveries({}, { order: 'oldest', limit: 1_000_000 }),
  }));
  const kept = new Set(bodies);
  const lost = [...senders.acknowledged.keys()].filter((body) => !kept.has(body));
  const unfinished = deliveries.filter(({ status }) => status !== 'succeeded');
  const miscounted = deliveries.filter(({ handler, attempts }) => attempts !== (handler === 'fails' ? 2 : 1));
  const slowest = Math.max(...stops);
  printFigures('SIGTERM twice', {
    seed,
    rounds: ROUNDS,
    'slowest-stop-ms': slowest,
    acknowledged: senders.acknowledged.size,
    stored: bodies.length,
    deliveries: deliveries.length,
    replays: jobs.map(({ state }) => String(state)).join(','),
    unfinished: unfinished.length,
    'wrong-attempt-counts': miscounted.length,
    lost: lost.length,
  });
  expectBelow(MAX_STOP_MS, slowest, 'milliseconds of the slowest stop');
  expect(lost).toEqual([]);
  expect(kept.size).toBe(bodies.length);
  expect(unfinished).toEqual([]);
  expect(miscounted).toEqual([]);
  expect(counted).toMatchObject({ pending: 0, running: 0, succeeded: deliveries.length });
  expect(integrityCheck(workspace.database)).toBe('ok');
});

test('two signals at any moment of a start end it cleanly', async () => {
  const seed = seedOfRun();
  const { between } = draws(seed);
  const workspace = createWorkspace();
  writeBookkeeping(workspace);

  const ends: string[] = [];
  for (let round = 0; round < STARTS; round += 1) {
    const starting = startServe(environment(workspace));
    await pause(between(200, 1_200));
    starting.kill('SIGTERM');
    await pause(between(0, 20));
    starting.kill('SIGTERM');
    const { code, signal, out, err } = await starting.ended;
    ends.push(signal ?? String(code));
    // Before anything is open, the signal itself may end the process. After that it exits with 0.
    const endedBySignal = signal !== null && !out.includes('Portaria is ready');
    expect({ end: signal ?? code, err }).toEqual({ end: endedBySignal ? 'SIGTERM' : 0, err: '' });
  }

  const running = await serve(environment(workspace));
  printFigures('SIGTERM while starting', { seed, rounds: ends.length, 'ended-with': ends.join(',') });
  expect(await statisticsOf(running)).toMatchObject({ events: 0 });
});
