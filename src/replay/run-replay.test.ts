import { describe, expect, onTestFinished, test } from 'vitest';
import type { VerifiedDelivery } from '../event/delivery.ts';
import { createRegistry } from '../handle/load/registry.ts';
import { defineHandler } from '../handle/define/handler.ts';
import { createIdentify } from '../identify/identify.ts';
import { type Clock, systemClock } from '../kernel/time/clock.ts';
import { createParse } from '../parse/parse.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { ParsedEvent } from '../event/event.ts';
import { fixedWindow } from './replay-window.ts';
import { runReplay } from './run-replay.ts';
import { specification } from '../contract/specification.ts';

const parse = createParse(specification);
const identify = createIdentify(specification);

/** Polls without waiting, after all due deliveries have run. */
const clock: Clock = {
  ...systemClock,
  now: () => 1_790_000_000_000,
  after: (_, callback) => systemClock.after(0, callback),
};
const never = new AbortController().signal;

describe('a replay', () => {
  test('never has more unfinished deliveries than the window, and handles all in order', async () => {
    const { store, registry, works, replay } = await replayOf({ events: 40, handlers: ['one', 'two'] });
    const seen: number[] = [];
    const outcome = await runReplay({ store, registry, clock, runner: { wake: works.soon } }, replay, {
      window: fixedWindow(6),
      signal: never,
      onProgress: ({ pending, running }) => seen.push(pending + running),
    });
    expect(outcome).toMatchObject({ ended: 'done', progress: { succeeded: 80, pending: 0 } });
    expect(Math.max(...seen)).toBeLessThanOrEqual(6);
    for (const handler of ['one', 'two'])
      expect(works.done.filter((call) => call.startsWith(handler))).toEqual(
        Array.from({ length: 40 }, (_, at) => `${handler} ${String(at)}`),
      );
    expect((await store.replay(replay.id))?.status).toBe('finished');
  });

  test('runs event by event when the window is smaller than an event’s deliveries', async () => {
    const { store, registry, works, replay } = await replayOf({
      events: 5,
      handlers: ['one', 'two', 'three'],
    });
    const outcome = await runReplay({ store, registry, clock, runner: { wake: works.soon } }, replay, {
      window: fixedWindow(1),
      signal: never,
      onProgress: () => undefined,
    });
    expect(outcome.progress.succeeded).toBe(15);
  });

  test('resumes after an interruption without repeating or skipping a call', async () => {
    const { store, registry, works, replay } = await replayOf({ events: 30, handlers: ['one'] });
    const stop = new AbortController();
    const parts = { store, registry, clock, runner: { wake: works.soon } };
    const pacing = { window: fixedWindow(4), onProgress: () => undefined };
    const interrupted = await runReplay(parts, replay, {
      ...pacing,
      signal: stop.signal,
      onProgress: ({ succeeded }) => {
        if (succeeded >= 10) stop.abort();
      },
    });
    expect(interrupted.ended).toBe('interrupted');
    const stored = (await store.replay(replay.id)) ?? replay;
    expect(stored.status).toBe('running');

    const resumed = await runReplay(parts, stored, { ...pacing, signal: never });
    expect(resumed).toMatchObject({ ended: 'done', progress: { succeeded: 30 } });
    expect(works.done).toHaveLength(30);
    expect(new Set(works.done).size).toBe(30);
  });

  test('continues as soon as the runner is idle, without waiting for the next poll', async () => {
    const { store, registry, works, replay } = await replayOf({ events: 40, handlers: ['one'] });
    // The clock stands still: a wait for the next poll would never end.
    const runner = { wake: works.soon, idle: () => works.rest() };
    const outcome = await runReplay({ store, registry, clock: manualClock(clock.now()), runner }, replay, {
      window: fixedWindow(6),
      signal: never,
      onProgress: () => undefined,
    });
    expect(outcome).toMatchObject({ ended: 'done', progress: { succeeded: 40 } });
  });

  test('ends as blocked when no process can run the rest', async () => {
    const { store, registry, replay } = await replayOf({ events: 3, handlers: ['one'] });
    const runner = { wake: () => undefined, idle: () => Promise.resolve() };
    const outcome = await runReplay({ store, registry, clock, runner }, replay, {
      window: fixedWindow(10),
      signal: never,
      onProgress: () => undefined,
    });
    expect(outcome).toMatchObject({ ended: 'blocked', progress: { pending: 3 } });
  });
});

/** A store with events of one subject and two kinds without deliveries, and a replay of all. */
async function replayOf(wanted: { readonly events: number; readonly handlers: readonly string[] }) {
  const store = await openSqliteStore({ path: ':memory:', role: 'owner', clock });
  await Promise.all(Array.from({ length: wanted.events }, (_, at) => store.accept(identify(event(at)), [])));
  const registry = createRegistry(
    wanted.handlers.map((name) => defineHandler({ name, on: '*', handle: () => undefined })),
  );
  const replay = await store.createReplay(
    { filter: {}, handlers: wanted.handlers, ifNotSucceeded: false, target: null },
    clock.now(),
  );
  const works = worker(store, wanted.handlers, replay.id);
  onTestFinished(async () => {
    await works.rest();
    await store.close();
  });
  return { store, registry, replay, works };
}

/** Completes due deliveries one at a time, shortly after each wake. */
function worker(
  store: Awaited<ReturnType<typeof openSqliteStore>>,
  handlers: readonly string[],
  replay: string,
) {
  const done: string[] = [];
  let working = Promise.resolve();
  const work = async (): Promise<void> => {
    for (;;) {
      const now = clock.now();
      const { deliveries } = await store.claim({ now, limit: 1, handlers, replay });
      const [delivery] = deliveries;
      if (delivery === undefined) return;
      await store.complete(delivery, { status: 'succeeded' }, { now, next: false });
      const { status } = delivery.event.data as { readonly status: string };
      done.push(`${delivery.handler} ${status}`);
    }
  };
  const soon = () => {
    working = working.then(work);
  };
  return { done, soon, rest: () => working };
}

function event(at: number): ParsedEvent {
  // Events are read by kind: their arrival order must be restored.
  const type = at % 3 === 0 ? 'traffic-violation.created' : 'traffic-violation.updated';
  const body = JSON.stringify({ type, data: { id: 1, status: String(at) } });
  const delivery: VerifiedDelivery = {
    stage: 'verified',
    source: 'default',
    senderVerified: true,
    receivedAt: clock.now(),
    headers: {},
    body: Buffer.from(body),
    messageId: null,
    messageIdTrusted: false,
  };
  const parsed = parse(delivery);
  if (parsed.stage === 'rejected') throw new Error(parsed.message);
  return parsed;
}
