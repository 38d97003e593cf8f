import type { EventRecord } from '../event/stored-event.ts';
import type { ReplayDelivery, ReplayProgress, ReplayRecord } from '../store/replays.ts';
import { awaitProgress } from './await-progress.ts';
import { chooseCalls } from './choose-calls.ts';
import { eventPages } from './event-pages.ts';
import { createPace } from './pace.ts';
import type { ReplayOutcome, ReplayPacing, ReplayParts } from './replay-parts.ts';

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
  const pace = createPace(pacing.rate, clock, pacing.signal);
  const wait = (enough: (progress: ReplayProgress) => boolean) =>
    awaitProgress(parts, replay.id, pacing, enough);

  if (replay.status !== 'finished') {
    for await (const page of eventPages(store, replay.filter, replay.cursor)) {
      const deliveries = await deliveriesByEvent(parts, page, replay);
      for (let at = 0; at < page.length;) {
        const next = deliveries.get(page[at]?.id ?? '')?.length ?? 0;
        const roomy = await wait((progress) => hasRoom(progress, next, pacing.window));
        if (roomy.ended !== 'done') return roomy;
        const room = pacing.rate === undefined ? pacing.window - unfinished(roomy.progress) : 1;
        const batch = takeEvents(page.slice(at), deliveries, room);
        await pace(batch.deliveries.length);
        if (pacing.signal.aborted) return { ...roomy, ended: 'interrupted' };
        await store.enqueueReplay(replay.id, batch.deliveries, { cursor: batch.cursor, now: clock.now() });
        runner.wake();
        at += batch.events;
      }
    }
    await store.finishReplay(replay.id);
  }
  return wait((progress) => unfinished(progress) === 0);
}

function unfinished({ pending, running }: ReplayProgress): number {
  return pending + running;
}

/** An event is enqueued whole: one with more deliveries than the window waits until nothing else is left. */
function hasRoom(progress: ReplayProgress, deliveries: number, window: number): boolean {
  const taken = unfinished(progress);
  return taken === 0 || taken + Math.max(1, deliveries) <= window;
}

async function deliveriesByEvent(
  parts: ReplayParts,
  page: readonly EventRecord[],
  replay: ReplayRecord,
): Promise<ReadonlyMap<string, readonly ReplayDelivery[]>> {
  const deliveries = new Map<string, ReplayDelivery[]>(page.map(({ id }) => [id, []]));
  for (const { event, route, decision } of await chooseCalls(parts, page, replay))
    if (decision === 'call') deliveries.get(event.id)?.push({ eventId: event.id, route });
  return deliveries;
}

/** The first events whose deliveries fit the room, one at least. */
function takeEvents(
  events: readonly EventRecord[],
  byEvent: ReadonlyMap<string, readonly ReplayDelivery[]>,
  room: number,
): { readonly deliveries: readonly ReplayDelivery[]; readonly cursor: string; readonly events: number } {
  const deliveries: ReplayDelivery[] = [];
  let cursor = '';
  let count = 0;
  for (const { id } of events) {
    const more = byEvent.get(id) ?? [];
    if (deliveries.length > 0 && deliveries.length + more.length > room) break;
    deliveries.push(...more);
    cursor = id;
    count += 1;
  }
  return { deliveries, cursor, events: count };
}
