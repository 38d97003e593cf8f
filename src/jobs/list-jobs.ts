/** Reads jobs with their progress and failures. */
import { PortariaError } from '../kernel/errors.ts';
import type { JobRecord, Jobs } from '../store/jobs.ts';
import type { DeliveryRecord, Queries } from '../store/queries.ts';
import type { Replays } from '../store/replays.ts';
import { jobView, type JobView } from '../view/job-view.ts';

type JobStore = Pick<Jobs, 'job' | 'jobs' | 'failedItems'> &
  Pick<Replays, 'replayProgress'> &
  Pick<Queries, 'deliveries'>;

/** Lists jobs with their progress, the newest first. */
export async function listJobs(
  store: Pick<JobStore, 'jobs' | 'replayProgress'>,
  page: Parameters<Jobs['jobs']>[0],
): Promise<readonly JobView[]> {
  return Promise.all((await store.jobs(page)).map((job) => withCounts(store, job)));
}

/** @throws PortariaError `not-found` */
export async function showJob(store: JobStore, id: string): Promise<JobView> {
  const job = await store.job(id);
  if (job === null) throw new PortariaError('not-found', `There is no job ${id}`);
  return withCounts(store, job);
}

/** The view of a job with the counts of its replay, if it runs one. */
export async function withCounts(store: Pick<JobStore, 'replayProgress'>, job: JobRecord): Promise<JobView> {
  const { selection } = job;
  return jobView(job, 'replay' in selection ? await store.replayProgress(selection.replay) : null);
}

/** The first deliveries of a job that failed. A release has none: its entries became events. */
export async function failedDeliveries(
  store: JobStore,
  { id, action, replay }: Pick<JobView, 'id' | 'action' | 'replay'>,
  limit: number,
): Promise<readonly DeliveryRecord[]> {
  const page = { order: 'oldest', limit } as const;
  if (replay !== null) return store.deliveries({ replay, status: 'dead' }, page);
  if (action === 'release') return [];
  return store.deliveries({ ids: await store.failedItems(id, limit) }, page);
}
