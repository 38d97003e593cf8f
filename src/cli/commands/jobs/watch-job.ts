/** Shows the progress of a job on a terminal. */
import { showJob } from '../../../jobs/list-jobs.ts';
import { pause } from '../../../kernel/time/pause.ts';
import type { Store } from '../../../store/store.ts';
import type { JobView } from '../../../view/job-view.ts';
import { commandName } from '../../command-name.ts';
import { exitCode } from '../../exit-code.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { createProgress } from '../../output/progress.ts';
import type { Session } from '../../session.ts';

/** Milliseconds between two polls of the job. */
const POLL_MS = 200;
/** Polls for each look whether a process serves. */
const POLLS_PER_LOOK = 10;

/** Says that a job waits for a process, when none serves. Returns whether it said so. */
export async function noteUnserved(session: Session, store: Pick<Store, 'processes'>): Promise<boolean> {
  if ((await store.processes()).length > 0) return false;
  const { env } = session.terminal;
  await session.note(`No process serves this database: the job goes on with \`${commandName(env)} serve\`.`);
  return true;
}

/** Shows the progress of a job until it ends. An interrupt ends the watching only. */
export async function watchJob(
  session: Session,
  store: Store,
  id: string,
  { json }: { readonly json: boolean },
): Promise<void> {
  const { terminal } = session;
  const interruption = listenForInterrupt(terminal);
  const bar = createProgress(terminal, id);
  const command = `${commandName(terminal.env)} jobs`;
  let isUnserved = false;
  try {
    for (let poll = 0; ; poll += 1) {
      const job = await showJob(store, id);
      bar.update(
        job.acted + job.left_alone - job.waiting,
        job.planned,
        job.failed > 0 ? `${String(job.failed)} failed` : '',
      );
      if (job.state !== 'running') {
        bar.stop();
        await report(session, job, json);
        if (job.state !== 'finished') await session.note(`Go on with: ${command} resume ${id}`);
        return;
      }
      // Said once: a process that starts again goes on with the job.
      if (!isUnserved && poll % POLLS_PER_LOOK === 0) isUnserved = await noteUnserved(session, store);
      if (interruption.signal.aborted) {
        bar.stop();
        await session.note(`${id} goes on. Cancel it with: ${command} cancel ${id}`);
        session.exitCode = exitCode.interrupted;
        return;
      }
      await pause(terminal.clock, POLL_MS, interruption.signal);
    }
  } finally {
    bar.stop();
    interruption.release();
  }
}

async function report(session: Session, job: JobView, json: boolean): Promise<void> {
  await session.print(json ? JSON.stringify(job) : jobLine(job));
  if (job.failed > 0 || job.state !== 'finished') session.exitCode = exitCode.partial;
  if (job.failed > 0)
    await session.note(`See what failed with: ${commandName(session.terminal.env)} jobs show ${job.id}`);
}

/** What its other items are. */
export const leftWord = ({ action }: Pick<JobView, 'action'>): string =>
  action === 'release' ? 'not released' : 'needed it no longer';

/** A job in one line: `j3 stopped, 2 of 214: 1 succeeded, 1 failed`. */
export function jobLine(job: JobView): string {
  const counts = [
    [job.succeeded, 'succeeded'],
    [job.failed, 'failed'],
    [job.skipped, 'skipped'],
    [job.waiting, 'without a result'],
    [job.left_alone, leftWord(job)],
  ] as const;
  const shown = counts.filter(([count]) => count > 0).map(([count, what]) => `${String(count)} ${what}`);
  const message = job.message === null ? '' : ` (${job.message})`;
  const of = `${String(job.acted + job.left_alone)} of ${String(job.planned)}`;
  return `${job.id} ${job.state}${message}, ${of}${shown.length > 0 ? `: ${shown.join(', ')}` : ''}`;
}
