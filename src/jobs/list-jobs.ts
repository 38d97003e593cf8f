/** Reads jobs with their progress and failures. */
import { PortariaError } from '../kernel/errors.ts';
import type { Jobs } from '../store/jobs.ts';
import type { DeliveryRecord, Queries } from '../store/queries.ts';
import { jobView, type JobView } from '../view/job-view.ts';

type JobStore = Pick<Jobs, 'job' | 'jobs' | 'failedItems'> & Pick<Queries, 'deliveries'>;

/** Lists jobs with their progress, the newest first. */
export async function listJobs(
  store: Pick<JobStore, 'jobs'>,
  page: Parameters<Jobs['jobs']>[0],
): Promise<readonly JobView[]> {
  return (await store.jobs(page)).map(jobView);
}

/** @throws PortariaError `not-found` */
export async function showJob(store: Pick<JobStore, 'job'>, id: string): Promise<JobView> {
  const job = await store.job(id);
  if (job === null) throw new PortariaError('not-found', `There is no job ${id}`);
  return jobView(job);
}

/** The first deliveries of a job that failed. A release has none: its entries became events; nor has what is sent to a URL. */
export async function failedDeliveries(
  store: JobStore,
  { id, action }: Pick<JobView, 'id' | 'action'>,
  limit: number,
): Promise<readonly DeliveryRecord[]> {
  const page = { order: 'oldest', limit } as const;
  if (action === 'replay') return store.deliveries({ replay: id, status: 'dead' }, page);
  if (action === 'release' || action === 'repair') return [];
  return store.deliveries({ ids: await store.failedItems(id, limit) }, page);
}
