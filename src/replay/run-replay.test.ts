import { describe, expect, onTestFinished, test } from 'vitest';
import { createRegistry } from '../handle/load/create-registry.ts';
import { defineHandler } from '../handle/define/define-handler.ts';
import { identify } from '../identify/identify.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { systemClock } from '../kernel/time/system-clock.ts';
import { parsedEvent } from '../../test/support/verified-delivery.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { ParsedEvent } from '../event/parsed-event.ts';
import { fixedWindow } from './replay-window.ts';
import { runReplay } from './run-replay.ts';

/** Polls without waiting: each look comes as soon as what is due has run. */
const clock: Clock = {
  ...systemClock,
  now: () => 1_790_000_000_000,
  after: (_, callback) => systemClock.after(0, callback),
};
const never = new AbortController().signal;

describe('a replay', () => {
  test('never has more unfinished than the window, and handles all in order', async () => {
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

  test('with a window smaller than an event’s deliveries goes on all the same, event by event', async () => {
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

  test('interrupted, it keeps its place: resumed, nothing is called twice and nothing left out', async () => {
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

  test('goes on as soon as nothing is left to run, without waiting for the next look', async () => {
    const { store, registry, works, replay } = await replayOf({ events: 40, handlers: ['one'] });
    // Time stands still: a wait for the next look would never end.
    const runner = { wake: works.soon, idle: () => works.rest() };
    const outcome = await runReplay({ store, registry, clock: manualClock(clock.now()), runner }, replay, {
      window: fixedWindow(6),
      signal: never,
      onProgress: () => undefined,
    });
    expect(outcome).toMatchObject({ ended: 'done', progress: { succeeded: 40 } });
  });

  test('when nobody can run the rest, it ends as blocked', async () => {
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

/** A store with events of one subject and two kinds that no handler was there for, and a replay of them all. */
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

/** Finishes whatever is due, one at a time, some moments after it is told. */
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
  // Those of a kind are read together: their order has to be found again.
  const type = at % 3 === 0 ? 'traffic-violation.created' : 'traffic-violation.updated';
  const body = JSON.stringify({ type, data: { id: 1, status: String(at) } });
  return parsedEvent(body, { receivedAt: clock.now() });
}
