import type {
  ReplayDelivery,
  ReplayEvent,
  ReplayProgress,
  ReplayRecord,
  ReplayTraits,
} from '../store/replays.ts';
import type { Route } from '../store/route.ts';
import { awaitProgress } from './await-progress.ts';
import { createChooseCalls, selectionFor } from './choose-calls.ts';
import { eventPages, type ReadPage } from './event-pages.ts';
import { createPace } from './pace.ts';
import type { ReplayOutcome, ReplayPacing, ReplayParts } from './replay-parts.ts';

/** Deliveries that are enqueued in one transaction: those that run share the commits in between. */
const MOST_AT_ONCE = 1000;

/**
 * Puts the events of a replay into lanes again, oldest first, a bounded number
 * at a time, and waits until all are handled. Starts after the replay's cursor.
 */
export async function runReplay(
  parts: ReplayParts,
  replay: ReplayRecord,
  pacing: ReplayPacing,
): Promise<ReplayOutcome> {
  const { store, registry, runner, clock } = parts;
  const { window, signal } = pacing;
  const pace = createPace(pacing.rate, clock, signal);
  const wait = (enough: (progress: ReplayProgress) => boolean) =>
    awaitProgress(parts, replay.id, pacing, (progress) => {
      window.note(progress);
      return enough(progress);
    });
  const choose = createChooseCalls(registry, replay);
  /** By traits, which thousands of events share. */
  const decided = new WeakMap<ReplayTraits, readonly Route[]>();
  const decide = (traits: ReplayTraits): readonly Route[] => {
    const called = choose(traits).filter(({ decision }) => decision === 'call');
    const routes = called.map(({ route }) => route);
    decided.set(traits, routes);
    return routes;
  };
  const planned = ({ id, traits }: ReplayEvent): PlannedEvent => ({
    id,
    deliveries: (decided.get(traits) ?? decide(traits)).map((route) => ({ eventId: id, route })),
  });
  const read: ReadPage<ReplayEvent> = (after, limit) =>
    store.replayEvents(selectionFor(replay, after), limit);

  if (replay.status !== 'finished') {
    for await (const page of eventPages(read, replay.cursor)) {
      const events = page.map(planned);
      for (let at = 0; at < events.length;) {
        const next = events[at]?.deliveries.length ?? 0;
        const roomy = await wait((progress) => hasRoom(progress, next, window.size()));
        if (roomy.ended !== 'done') return roomy;
        const room = pacing.rate === undefined ? window.size() - unfinished(roomy.progress) : 1;
        const batch = takeEvents(events, at, Math.min(room, MOST_AT_ONCE));
        await pace(batch.deliveries.length);
        if (signal.aborted) return { ...roomy, ended: 'interrupted' };
        await store.enqueueReplay(replay.id, batch.deliveries, { cursor: batch.cursor, now: clock.now() });
        runner.wake();
        at = batch.end;
      }
    }
    await store.finishReplay(replay.id);
  }
  return wait((progress) => unfinished(progress) === 0);
}

interface PlannedEvent {
  readonly id: string;
  readonly deliveries: readonly ReplayDelivery[];
}

function unfinished({ pending, running }: ReplayProgress): number {
  return pending + running;
}

/** An event is enqueued whole: one with more deliveries than the window waits until nothing else is left. */
function hasRoom(progress: ReplayProgress, deliveries: number, window: number): boolean {
  const taken = unfinished(progress);
  return taken === 0 || taken + Math.max(1, deliveries) <= window;
}

/** The events from `start` on whose deliveries fit the room, one at least. */
function takeEvents(
  events: readonly PlannedEvent[],
  start: number,
  room: number,
): { readonly deliveries: readonly ReplayDelivery[]; readonly cursor: string; readonly end: number } {
  const deliveries: ReplayDelivery[] = [];
  let cursor = '';
  let end = start;
  for (const { id, deliveries: more } of events.slice(start)) {
    if (deliveries.length > 0 && deliveries.length + more.length > room) break;
    deliveries.push(...more);
    cursor = id;
    end += 1;
  }
  return { deliveries, cursor, end };
}
