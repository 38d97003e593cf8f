/** SIGTERM in the middle of everything, twice: a clean end at once, and the next start goes on where it stopped. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/raw-connection.ts';
import { portaria, serve, startServe, type RunningPortaria } from '../support/running-portaria.ts';
import { recording, workshop, type Workshop } from '../support/workshop.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { inspectStore, integrityCheck, storedBodies } from './kit/inspect-store.ts';
import { draws, seedOfRun, type Draws } from './kit/seed.ts';
import { createSenders, type Senders } from './kit/senders.ts';
import { allHandled, statisticsOf } from './kit/statistics.ts';
import { charges, logins } from './kit/webhooks.ts';

const ROUNDS = 5;
/** How long the process may take to end after the second signal; it was granted a minute after the first. */
const SOON_MS = 5_000;
const GRACE_MS = 60_000;

/** Handlers that are never done at the moment of the signal, heeding their signal or not. */
function writeSlowHandlers(place: Workshop): void {
  place.writeHandler(
    'slow.ts',
    `${recording(place)}
const rest = { on: 'charge.*', order: 'handler', timeoutMs: 600_000 } as const;

export const waits = defineHandler({ ...rest, name: 'waits', handle: (_, { signal }) => opened('gate', signal) });

export const deaf = defineHandler({
  ...rest,
  name: 'deaf',
  handle: () => opened('gate', new AbortController().signal),
});

export const fails = defineHandler({
  name: 'fails',
  on: 'charge.*',
  retry: { attempts: 3, baseMs: 5, maxMs: 10 },
  breaker: { failures: 1_000_000, subjects: 1_000_000 },
  handle(_, { attempt }) {
    if (attempt === 1) throw new Error('not at the first try');
  },
});
`,
  );
}

function environment(place: Workshop): Readonly<Record<string, string>> {
  return {
    PORTARIA_DATABASE: place.database,
    PORTARIA_HANDLERS: place.handlers,
    PORTARIA_SHUTDOWN_GRACE_MS: String(GRACE_MS),
    PORTARIA_BODY_TIMEOUT_MS: String(GRACE_MS),
  };
}

/** Half a webhook, whose sender then says nothing more. */
async function halfAWebhook({ url }: RunningPortaria): Promise<void> {
  const { send } = await connect(Number(new URL(url).port));
  send('POST /webhooks HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{"type":');
}

/** Somebody who looks at the private port all the time, and takes no more of a processor than that needs. */
async function watch(running: RunningPortaria): Promise<void> {
  while ((await statisticsOf(running).catch(() => undefined)) !== undefined) await pause(5);
}

interface Stop {
  /** From the second signal to the end. */
  readonly ms: number;
  readonly replayExit: number | null;
}

async function stopTwice(place: Workshop, senders: Senders, { between }: Draws): Promise<Stop> {
  const running = await serve(environment(place));
  await halfAWebhook(running);
  const replay = portaria(['replay', '--handler', 'booked', '--yes'], environment(place));
  const others = [senders.sendTo(running.url), watch(running)];
  const enough = senders.acknowledged.size + between(50, 300);
  await eventually('enough is acknowledged', () => senders.acknowledged.size >= enough);

  running.kill('SIGTERM');
  // Of two signals that a process has not had the time to take, the system makes one.
  await eventually('the first is taken', () => running.written().includes('Stopping: running handlers'));
  // Two that come together are one Ctrl-C.
  await pause(between(200, 260));
  running.kill('SIGTERM');
  const from = performance.now();
  const ended = await running.ended;
  const ms = Math.round(performance.now() - from);
  senders.stop();
  await Promise.all(others);

  expect(ended).toMatchObject({ code: 0, signal: null, err: '' });
  return { ms, replayExit: (await replay).code };
}

test('two signals in the middle of everything lose nothing and cost no try', async () => {
  const seed = seedOfRun();
  const random = draws(seed);
  const place = workshop();
  writeBookkeeping(place);
  writeSlowHandlers(place);
  const senders = createSenders([...[1, 2, 3, 4].map(charges), ...[1, 2].map(logins)]);

  const stops: Stop[] = [];
  for (let round = 0; round < ROUNDS; round += 1) stops.push(await stopTwice(place, senders, random));

  place.open('gate');
  const running = await serve(environment(place));
  const sending = senders.sendTo(running.url);
  senders.stop();
  await sending;
  const counted = (await allHandled(running)).deliveries;
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });

  const { bodies, deliveries } = await inspectStore(place.database, async (store) => ({
    bodies: (await storedBodies(store)).map(({ body }) => body),
    deliveries: await store.deliveries({}, { order: 'oldest', limit: 1_000_000 }),
  }));
  const kept = new Set(bodies);
  const lost = [...senders.acknowledged.keys()].filter((body) => !kept.has(body));
  const unfinished = deliveries.filter(({ status }) => status !== 'succeeded');
  const overcounted = deliveries.filter(
    ({ handler, attempts }) => attempts !== (handler === 'fails' ? 2 : 1),
  );
  const slowest = Math.max(...stops.map(({ ms }) => ms));
  printFigures('SIGTERM twice', {
    seed,
    rounds: ROUNDS,
    'slowest-stop-ms': slowest,
    'replays-ended-with': stops.map(({ replayExit }) => String(replayExit)).join(','),
    acknowledged: senders.acknowledged.size,
    stored: bodies.length,
    deliveries: deliveries.length,
    unfinished: unfinished.length,
    'tries-counted-wrongly': overcounted.length,
    lost: lost.length,
  });
  expect(slowest).toBeLessThan(SOON_MS);
  expect(lost).toEqual([]);
  expect(kept.size).toBe(bodies.length);
  expect(unfinished).toEqual([]);
  expect(overcounted).toEqual([]);
  expect(counted).toMatchObject({ pending: 0, running: 0, succeeded: deliveries.length });
  expect(integrityCheck(place.database)).toBe('ok');
});

test('two signals at any moment of the start end it cleanly', async () => {
  const seed = seedOfRun();
  const { between } = draws(seed);
  const place = workshop();
  writeBookkeeping(place);

  const ends: string[] = [];
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    const starting = startServe(environment(place));
    await pause(between(200, 1_200));
    starting.kill('SIGTERM');
    await pause(between(0, 20));
    starting.kill('SIGTERM');
    const { code, signal, out, err } = await starting.ended;
    ends.push(signal ?? String(code));
    // By the signal itself as long as nothing is open; from then on by itself.
    const violent = signal !== null && !out.includes('Portaria is ready');
    expect({ end: signal ?? code, err }).toEqual({ end: violent ? 'SIGTERM' : 0, err: '' });
  }

  const running = await serve(environment(place));
  printFigures('SIGTERM while starting', { seed, rounds: ends.length, 'ended-with': ends.join(',') });
  expect(await statisticsOf(running)).toMatchObject({ events: 0 });
});
