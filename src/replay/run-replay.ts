/** Runs a replay until all its deliveries have ended. */
import type { ReplayProgress, ReplayRecord, ReplayTraits } from '../store/replays.ts';
import type { Route } from '../store/route.ts';
import { awaitProgress } from './await-progress.ts';
import { createChooseCalls, selectionFor } from './choose-calls.ts';
import { createPace } from './pace.ts';
import type { ReplayOutcome, ReplayPacing, ReplayDeps } from './replay-run.ts';
import { firstCount, lastEvent, takeEvents, type PlannedEvents } from './take-events.ts';

/** Deliveries enqueued in one transaction. Outcomes of running deliveries commit in between. */
const MAX_BATCH = 1000;
/** Events read at a time. */
const PAGE_SIZE = 1000;

/**
 * Enqueues the events of a replay again, oldest first, a bounded number at a
 * time, and waits until all have ended. Starts after the replay's cursor.
 */
export async function runReplay(
  deps: ReplayDeps,
  replay: ReplayRecord,
  pacing: ReplayPacing,
): Promise<ReplayOutcome> {
  const { store, runner, clock } = deps;
  const { window, signal } = pacing;
  const pace = createPace(pacing.rate, clock, signal);
  const wait = (enough: (progress: ReplayProgress) => boolean) =>
    awaitProgress(deps, replay.id, pacing, (progress) => {
      window.observe(progress);
      return enough(progress);
    });
  if (replay.status !== 'finished') {
    for await (const page of plannedPages(deps, replay)) {
      for (let rest = page; rest.length > 0;) {
        const next = firstCount(rest);
        const waited = await wait((progress) => hasRoom(progress, next, window.size()));
        if (waited.ended !== 'done') return waited;
        const room = pacing.rate === undefined ? window.size() - unfinished(waited.progress) : 1;
        const batch = takeEvents(rest, Math.min(room, MAX_BATCH));
        await pace(batch.count);
        if (signal.aborted) return { ...waited, ended: 'interrupted' };
        const cursor = String(batch.last);
        await store.enqueueReplay(replay.id, batch.deliveries, { cursor, now: clock.now() });
        runner.wake();
        rest = batch.rest;
      }
    }
    await store.finishReplay(replay.id);
  }
  return wait((progress) => unfinished(progress) === 0);
}

/** Yields pages of events after the replay's cursor, with their handlers. */
async function* plannedPages(
  { store, registry }: ReplayDeps,
  replay: ReplayRecord,
): AsyncGenerator<readonly PlannedEvents[]> {
  const choose = createChooseCalls(registry, replay);
  const routesOf = (traits: ReplayTraits): readonly Route[] =>
    choose(traits).flatMap(({ route, decision }) => (decision === 'call' ? [route] : []));
  const selection = selectionFor(replay);
  for (let after = replay.cursor; ;) {
    const read = await store.replayEvents(selection, { after, limit: PAGE_SIZE });
    const page = read.map(({ traits, events }) => ({ events, routes: routesOf(traits) }));
    const size = page.reduce((sum, { events }) => sum + events.length, 0);
    if (size > 0) yield page;
    if (size < PAGE_SIZE) return;
    after = String(lastEvent(page));
  }
}

function unfinished({ pending, running }: ReplayProgress): number {
  return pending + running;
}

/** All deliveries of an event are enqueued together: one that exceeds the window waits until it is empty. */
function hasRoom(progress: ReplayProgress, deliveries: number, window: number): boolean {
  const used = unfinished(progress);
  return used === 0 || used + Math.max(1, deliveries) <= window;
}
