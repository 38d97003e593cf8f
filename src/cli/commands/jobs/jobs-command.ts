/** `portaria jobs`. */
import type { Command } from 'commander';
import { cancelJob, resumeJob } from '../../../jobs/change-job.ts';
import { jobItems } from '../../../jobs/job-items.ts';
import { listJobs, showJob } from '../../../jobs/list-jobs.ts';
import { shellWord } from '../../../kernel/text/shell-word.ts';
import type { JobRecord } from '../../../store/jobs.ts';
import type { Store } from '../../../store/store.ts';
import type { JobItemView } from '../../../view/job-item-view.ts';
import { jobView, type JobDetailView, type JobView } from '../../../view/job-view.ts';
import { addListOptions, jsonOption, type ListFlags } from '../../options/list-options.ts';
import { fieldLines, readableTime } from '../../output/format.ts';
import { pages } from '../../output/pages.ts';
import { createTable, type Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { operateOnStore } from '../../audited.ts';
import { orSee, withStore } from '../../with-store.ts';
import { jobLine, leftWord, watchJob } from './watch-job.ts';
import { commandName } from '../../command-name.ts';

const LIST = 'portaria jobs list';

/** Items of a result that `jobs show` names. */
const MAX_ITEMS = 10;

const columns: readonly Column<JobView>[] = [
  { heading: 'job', value: ({ id }) => id },
  { heading: 'started', value: ({ created_at }) => readableTime(created_at) },
  { heading: 'does', value: ({ action }) => action },
  {
    heading: 'state',
    value: ({ state }) => state,
    tone: ({ state }) => (state === 'stopped' ? 'alarm' : null),
  },
  { heading: 'planned', align: 'right', value: ({ planned }) => planned },
  { heading: 'acted', align: 'right', value: ({ acted }) => acted },
  { heading: 'succeeded', align: 'right', value: ({ succeeded }) => succeeded },
  { heading: 'failed', align: 'right', value: ({ failed }) => failed },
  { heading: 'by', shrinks: true, optional: true, value: (job) => job.requested_by },
  { heading: 'message', shrinks: true, optional: true, value: ({ message }) => message },
];

/** `portaria jobs`: lists, shows, cancels and resumes plans that were started. */
export function addJobs(program: Command, session: Session): void {
  const jobs = program
    .command('jobs')
    .description('plans that were started: retries, discards, releases and replays of many items');
  const list = jobs.command('list').description('list jobs and their progress, newest first');
  addListOptions(list).action(async ({ limit, json }: ListFlags) => {
    await withStore(session, async (store) => {
      const found = pages(limit, (page) => listJobs(store, page));
      await writeList(session, found, {
        columns,
        json,
        empty: 'No plan was started yet; `deliveries retry --job`, for example, makes one and starts it.',
      });
    });
  });

  jobs
    .command('show')
    .description('show one job and what failed')
    .argument('<id>', 'for example j3')
    .option('--watch', 'show its progress until it ends', false)
    .addOption(jsonOption())
    .action(async (id: string, { watch, json }: { readonly watch: boolean; readonly json: boolean }) => {
      await withStore(session, async (store) => {
        const job = await orSee(LIST, showJob(store, id));
        if (watch && job.state === 'running') await watchJob(session, store, id, { json });
        else await session.print(json ? JSON.stringify(job) : await jobText(session, store, job));
      });
    });

  addChange(jobs, session, 'cancel', 'cancel a running job; what it has begun keeps its course', (store) => {
    const { clock, user } = session.terminal;
    return (id) => cancelJob({ store, clock }, id, user);
  });
  addChange(jobs, session, 'resume', 'go on with a job that was stopped or cancelled', (store) => {
    const { clock } = session.terminal;
    return (id) => resumeJob({ store, clock }, id);
  });
}

function addChange(
  jobs: Command,
  session: Session,
  name: 'cancel' | 'resume',
  description: string,
  use: (store: Store) => (id: string) => Promise<JobRecord>,
): void {
  jobs
    .command(name)
    .description(description)
    .argument('<id>', 'for example j3')
    .addOption(jsonOption())
    .action(async (id: string, { json }: { readonly json: boolean }) => {
      const operation = { action: `${name}Job`, subject: { job: id } };
      await operateOnStore(session, operation, async (store) => {
        const job = jobView(await orSee(LIST, use(store)(id)));
        await session.print(json ? JSON.stringify(job) : jobLine(job));
      });
    });
}

async function jobText(session: Session, store: Store, job: JobDetailView): Promise<string> {
  const { stage } = job;
  const facts = fieldLines({
    job: job.id,
    does: job.action,
    state: job.message === null ? job.state : `${job.state} (${job.message})`,
    started: `${readableTime(job.created_at)} by ${job.requested_by}`,
    ...(job.ended_at !== null && { ended: readableTime(job.ended_at) }),
    ...(job.reason !== null && { reason: job.reason }),
    selection:
      Object.entries(job.selection)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ') || 'everything',
    progress: `${String(job.acted + job.left_alone)} of ${String(job.planned)}`,
    succeeded: job.succeeded,
    failed: job.failed,
    skipped: job.skipped,
    'without a result': job.waiting,
    [leftWord(job)]: job.left_alone,
    ...(job.stages.length > 1 && {
      'by stage': job.stages
        .map((each) => `${String(each.succeeded)} of ${String(each.acted)} succeeded`)
        .join(', then '),
    }),
    ...(job.staged && {
      stage: `${String(stage.number)}, ${stage.size === null ? 'all that are left' : `up to ${String(stage.size)}`}`,
    }),
    rate: job.rate === null ? 'no limit' : `${String(job.rate)} in a second`,
    'stops at': job.stop_at === null ? 'never' : `${String(Math.round(job.stop_at * 1000) / 10)} % failures`,
  });
  const record = await store.job(job.id);
  const resend = record === null ? null : await resendText(session, store, record);
  if (resend !== null) return `${facts}\n\n${resend}`;
  const tables = [];
  for (const [result, heading] of [['failed', 'Failed'] as const, ['left_alone', leftWord(job)] as const]) {
    const found = await jobItems(store, job.id, { result, limit: MAX_ITEMS, unmask: false });
    const table = createTable(itemColumns, session.terminal.out.columns());
    if (found.length > 0) tables.push(`\n\n${heading}\n${table.page(found)}`);
  }
  return `${facts}${tables.join('')}`;
}

const itemColumns: readonly Column<JobItemView>[] = [
  { heading: 'id', value: ({ id }) => id },
  { heading: 'event', value: ({ event_id }) => event_id },
  { heading: 'handler', value: ({ handler }) => handler },
  { heading: 'subject', value: ({ subject }) => subject },
  { heading: 'now', value: ({ status, why }) => why ?? status },
  { heading: 'when', optional: true, value: (item) => readableTime(item.finished_at ?? item.failed_at) },
  { heading: 'error of its attempt', shrinks: true, enough: 24, value: ({ error }) => error },
];

/** The most event ids in one command: a longer one is hard to copy. */
const MAX_IDS = 20;

/** Says how to send the events that failed again; null for a job that sends none. */
async function resendText(
  { terminal }: Session,
  store: Pick<Store, 'jobItems'>,
  { id, selection, rate, failed }: JobRecord,
): Promise<string | null> {
  if (!('events' in selection) || selection.events.target === null || failed === 0) return null;
  const ids = await store.jobItems(id, { outcome: 'failed', limit: MAX_IDS });
  const words = [
    `${commandName(terminal.env)} replay --to ${shellWord(selection.events.target)}`,
    ...ids.map((event) => `--id ${event}`),
    ...(rate === null ? [] : [`--rate ${String(rate)}`]),
  ];
  const which = failed > ids.length ? `the first ${String(ids.length)} of them` : 'them';
  return `Send ${which} again with: ${words.join(' ')}`;
}
