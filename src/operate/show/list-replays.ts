/** Reads replays with their progress. */
import type { ReplayRecord, Replays } from '../../store/replays.ts';
import { replayView, type ReplayView } from '../../view/replay-view.ts';

type ReplayStore = Pick<Replays, 'replays' | 'replayProgress' | 'countReplayEvents'>;

/** Lists the newest replays with their progress. */
export async function listReplays(store: ReplayStore, limit: number): Promise<readonly ReplayView[]> {
  const replays = await store.replays(limit);
  return Promise.all(replays.map((replay) => withProgress(store, replay)));
}

/** The view of a replay, with its progress. */
export async function withProgress(
  store: Pick<Replays, 'replayProgress' | 'countReplayEvents'>,
  replay: ReplayRecord,
): Promise<ReplayView> {
  const [progress, left] = await Promise.all([store.replayProgress(replay.id), eventsLeft(store, replay)]);
  return replayView(replay, progress, left);
}

/** Counts the events after the cursor. Only an unfinished replay has any, so most replays cost nothing here. */
async function eventsLeft(
  store: Pick<Replays, 'countReplayEvents'>,
  { status, filter, cursor }: ReplayRecord,
): Promise<number> {
  if (status === 'finished') return 0;
  const selection = { filter, succeeded: [], inStatus: [], effects: [], after: cursor };
  const { groups } = await store.countReplayEvents(selection);
  return groups.reduce((sum, { events }) => sum + events, 0);
}
