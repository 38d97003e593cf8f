/** Cancels and resumes jobs. */
import { PortariaError } from '../kernel/errors.ts';
import type { JobEnding, JobRecord, Jobs, JobState } from '../store/jobs.ts';
import type { JobDeps } from './job-deps.ts';

type ChangeDeps = Pick<JobDeps, 'store' | 'clock'>;

/**
 * Ends a running job. Items already retried, discarded or released are not undone.
 *
 * @throws PortariaError `not-found`, and `invalid-argument` for a job that does not run
 */
export function cancelJob(deps: ChangeDeps, id: string, by: string): Promise<JobRecord> {
  return change(deps, id, { from: ['running'], to: 'cancelled', ending: { code: 'cancelled', by } });
}

/**
 * Goes on with a job that was stopped or cancelled. A staged one begins with a stage of one item again.
 *
 * @throws PortariaError `not-found`, and `invalid-argument` for a job that runs or has finished
 */
export async function resumeJob(deps: ChangeDeps, id: string): Promise<JobRecord> {
  const { staged } = await findJob(deps.store, id);
  return change(deps, id, {
    from: ['stopped', 'cancelled'],
    to: 'running',
    ending: null,
    stageSize: staged ? 1 : null,
  });
}

async function change(
  deps: ChangeDeps,
  id: string,
  to: {
    readonly from: readonly JobState[];
    readonly to: JobState;
    readonly ending: JobEnding | null;
    readonly stageSize?: number | null;
  },
): Promise<JobRecord> {
  const { state } = await findJob(deps.store, id);
  if (!(await deps.store.changeJob(id, { ...to, now: deps.clock.now() })))
    throw new PortariaError('invalid-argument', `job ${id} is ${state}: nothing was changed`);
  return findJob(deps.store, id);
}

/** @throws PortariaError `not-found` */
export async function findJob(store: Pick<Jobs, 'job'>, id: string): Promise<JobRecord> {
  const job = await store.job(id);
  if (job === null) throw new PortariaError('not-found', `There is no job ${id}`);
  return job;
}
