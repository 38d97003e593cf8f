/** Jobs that are replays, as started plans create them. */
import type { JobRecord, NewJob } from '../../src/store/jobs.ts';
import type { ReplayRequest } from '../../src/store/replays.ts';
import type { Store } from '../../src/store/store.ts';

const everything: ReplayRequest = { filter: {}, handlers: [], ifNotSucceeded: false, target: null };

let plans = 0;

/** A job of a plan of its own, to replay all events to no handler unless given otherwise. */
export function replayJob(request: Partial<ReplayRequest> = {}): NewJob {
  plans += 1;
  const selection = { events: { ...everything, ...request } };
  return {
    ...{ plan: `replay ${String(plans)}`, action: 'replay', selection, planned: 0, staged: false },
    ...{ rate: null, stopAt: null, reason: null, requestedBy: 'a test' },
  };
}

/** Stores the job of a replay. */
export function createReplay(
  store: Pick<Store, 'createJob'>,
  request: Partial<ReplayRequest>,
  now: number,
): Promise<JobRecord> {
  return store.createJob(replayJob(request), now);
}
