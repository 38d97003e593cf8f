/** Reads jobs with their progress. */
import type { Jobs } from '../store/jobs.ts';
import { jobDetailView, jobView, type JobDetailView, type JobView } from '../view/job-view.ts';
import { findJob } from './change-job.ts';

/** Lists jobs with their progress, the newest first. */
export async function listJobs(
  store: Pick<Jobs, 'jobs'>,
  page: Parameters<Jobs['jobs']>[0],
): Promise<readonly JobView[]> {
  return (await store.jobs(page)).map(jobView);
}

/** @throws PortariaError `not-found` */
export async function showJob(store: Pick<Jobs, 'job' | 'jobStages'>, id: string): Promise<JobDetailView> {
  return jobDetailView(await findJob(store, id), await store.jobStages(id));
}
