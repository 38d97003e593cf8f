import type { ReplayRecord, Replays } from '../store/replays.ts';
import { replayView, type ReplayView } from '../view/replay-view.ts';

type ReplayStore = Pick<Replays, 'replays' | 'replayProgress'>;

/** Lists the newest replays with their progress. */
export async function listReplays(store: ReplayStore, limit: number): Promise<readonly ReplayView[]> {
  const replays = await store.replays(limit);
  return Promise.all(replays.map((replay) => withProgress(store, replay)));
}

/** The view of a replay, with its progress. */
export async function withProgress(
  store: Pick<Replays, 'replayProgress'>,
  replay: ReplayRecord,
): Promise<ReplayView> {
  return replayView(replay, await store.replayProgress(replay.id));
}
