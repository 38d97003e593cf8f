import type { ReplayProgress, ReplayRecord, ReplayTraits } from '../store/replays.ts';
import type { Route } from '../store/route.ts';
import { awaitProgress } from './await-progress.ts';
import { createChooseCalls, selectionFor } from './choose-calls.ts';
import { createPace } from './pace.ts';
import type { ReplayOutcome, ReplayPacing, ReplayParts } from './replay-parts.ts';
import { firstCount, lastEvent, takeEvents, type PlannedEvents } from './take-events.ts';

/** Deliveries that are enqueued in one transaction: those that run share the commits in between. */
const MAX_AT_ONCE = 1000;
/** Events that are read at a time. */
const PAGE_SIZE = 1000;

/**
 * Puts the events of a replay into lanes again, oldest first, a bounded number
 * at a time, and waits until all are handled. Starts after the replay's cursor.
 */
export async function runReplay(
  parts: ReplayParts,
  replay: ReplayRecord,
  pacing: ReplayPacing,
): Promise<ReplayOutcome> {
  const { store, runner, clock } = parts;
  const { window, signal } = pacing;
  const pace = createPace(pacing.rate, clock, signal);
  const wait = (enough: (progress: ReplayProgress) => boolean) =>
    awaitProgress(parts, replay.id, pacing, (progress) => {
      window.note(progress);
      return enough(progress);
    });
  if (replay.status !== 'finished') {
    for await (const page of plannedPages(parts, replay)) {
      for (let rest = page; rest.length > 0;) {
        const next = firstCount(rest);
        const roomy = await wait((progress) => hasRoom(progress, next, window.size()));
        if (roomy.ended !== 'done') return roomy;
        const room = pacing.rate === undefined ? window.size() - unfinished(roomy.progress) : 1;
        const batch = takeEvents(rest, Math.min(room, MAX_AT_ONCE));
        await pace(batch.count);
        if (signal.aborted) return { ...roomy, ended: 'interrupted' };
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

/** The events after the replay's cursor and who gets them, page by page. */
async function* plannedPages(
  { store, registry }: ReplayParts,
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

/** An event is enqueued whole: one with more deliveries than the window waits until nothing else is left. */
function hasRoom(progress: ReplayProgress, deliveries: number, window: number): boolean {
  const taken = unfinished(progress);
  return taken === 0 || taken + Math.max(1, deliveries) <= window;
}
