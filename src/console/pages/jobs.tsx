/** The pages of jobs. */
import type { FC } from 'hono/jsx';
import { Empty, Notice, Pager } from '../../pages/list.tsx';
import { State, type Tone } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import { ComposeReplay } from '../components/compose-replay.tsx';
import { READ_AGAIN_S, ReadAgain } from '../components/read-again.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { addForm } from '../forms.ts';
import { FormToken } from '../../pages/document.tsx';
import { Frame } from '../frame.tsx';
import { cursorOf } from '../list-filter.ts';
import { addressWith } from '../../pages/base-page.ts';
import { may, usePage, type Page } from '../page.ts';
import { cancelJob, resumeJob } from '../../jobs/change-job.ts';
import { failedDeliveries, listJobs, showJob } from '../../jobs/list-jobs.ts';
import { readPage } from '../../kernel/row-pages.ts';
import { deliveryView, type DeliveryView } from '../../view/delivery-view.ts';
import { say } from '../../kernel/text/sentences.ts';
import type { JobView } from '../../view/job-view.ts';

/** Jobs of a page. */
const LIMIT = 50;
/** Failed deliveries that the page of a job shows. */
const MAX_FAILED = 20;

const tones: Readonly<Record<JobView['state'], Tone>> = {
  running: 'warn',
  stopped: 'bad',
  cancelled: 'off',
  finished: 'ok',
};

/** Adds the list of jobs with the form for a replay, and the page of one: its progress, what failed, cancel and resume. */
export function addJobPages(app: ConsoleApp, deps: PagesDeps): void {
  const { store, registry, pageOf } = deps;
  const handlers = registry.definitions.map(({ name }) => name);

  app.get('/jobs', async (c) => {
    const page = await pageOf(c);
    const after = cursorOf(page.url.searchParams);
    const { rows, next } = await readPage(LIMIT, after, (limits) => listJobs(store, limits));
    return c.html(<JobsPage page={page} jobs={rows} next={next} handlers={handlers} />);
  });

  app.get('/jobs/:id', async (c) => {
    const page = await pageOf(c);
    const job = await showJob(store, c.req.param('id'));
    const failed = (await failedDeliveries(store, job, MAX_FAILED)).map((each) => deliveryView(each, page));
    return c.html(<JobPage page={page} job={job} failed={failed} />);
  });

  addForm(app, '/jobs/:id/cancel', { action: 'cancelJob' }, async (c) => {
    const { id } = await cancelJob(deps, c.req.param('id'), c.get('visitor').name);
    return c.redirect(`/jobs/${id}`, 303);
  });

  addForm(app, '/jobs/:id/resume', { action: 'resumeJob' }, async (c) => {
    const { id } = await resumeJob(deps, c.req.param('id'));
    return c.redirect(`/jobs/${id}`, 303);
  });
}

interface JobsProps {
  readonly page: Page;
  readonly jobs: readonly JobView[];
  readonly next: string | null;
  readonly handlers: readonly string[];
}

const JobsPage: FC<JobsProps> = ({ page, jobs, next, handlers }) => {
  const words = page.words.jobs;
  return (
    <Frame page={page} current="jobs" title={words.title}>
      <h1>{words.title}</h1>
      <p class="lead">{words.lead}</p>
      {may(page, 'operate') && handlers.length > 0 && (
        <details class="compose">
          <summary>{page.words.compose.title}</summary>
          <p class="soft">{page.words.compose.lead}</p>
          <ComposeReplay handlers={handlers} />
        </details>
      )}
      {jobs.length === 0 ? <Empty>{words.none}</Empty> : <JobTable jobs={jobs} />}
      <Pager next={next} />
    </Frame>
  );
};

const JobTable: FC<{ readonly jobs: readonly JobView[] }> = ({ jobs }) => {
  const words = usePage().words.jobs;
  return (
    <Table
      rows={jobs}
      columns={[
        { head: words.id, as: 'code', cell: ({ id }) => <a href={`/jobs/${id}`}>{id}</a> },
        { head: words.action, cell: ({ action }) => words.actions[action] },
        { head: words.state, cell: (job) => <JobState job={job} /> },
        {
          head: words.progress,
          cell: (job) => (
            <>
              {words.progressOf(job.acted + job.left_alone, job.planned)}
              {job.failed > 0 && (
                <>
                  {' '}
                  <State tone="bad" word={`${String(job.failed)} ${words.failed.toLowerCase()}`} />
                </>
              )}
            </>
          ),
        },
        { head: words.started, cell: ({ created_at }) => <Time iso={created_at} as="relative" /> },
        { head: words.by, cell: ({ requested_by }) => requested_by },
      ]}
    />
  );
};

const JobState: FC<{ readonly job: Pick<JobView, 'state' | 'failed'> }> = ({ job: { state, failed } }) => (
  <State
    tone={state === 'finished' && failed > 0 ? 'bad' : tones[state]}
    word={usePage().words.jobs.states[state]}
  />
);

interface JobProps {
  readonly page: Page;
  readonly job: JobView;
  readonly failed: readonly DeliveryView[];
}

const JobPage: FC<JobProps> = ({ page, job, failed }) => {
  const words = page.words.jobs;
  const title = words.heading(job.action, job.planned);
  const gone = Number(page.url.searchParams.get('gone'));
  return (
    <Frame
      page={page}
      current="jobs"
      title={title}
      refresh={job.state === 'running' && isWatched(page.url) ? READ_AGAIN_S : 0}
    >
      <h1>{title}</h1>
      <p class="lead">
        <span class="mono">{job.id}</span> · {job.requested_by} · <Time iso={job.created_at} />
      </p>
      {gone > 0 && <Notice tone="warn">{words.gone(gone)}</Notice>}
      <Watching job={job} />
      <div>
        <p>
          <JobState job={job} />
          {job.ending !== null && ` ${say(words.endings, job.ending)}`}
        </p>
        <progress
          class="job"
          max={Math.max(1, job.planned)}
          value={job.acted + job.left_alone}
          aria-label={words.progress}
        />{' '}
        {words.progressOf(job.acted + job.left_alone, job.planned)}
        <Counts job={job} />
        {failed.length > 0 && <Failed failed={failed} />}
      </div>
      <Actions job={job} />
      <JobFacts job={job} />
    </Frame>
  );
};

const isWatched = (url: URL): boolean => url.searchParams.get('watch') !== 'false';

/** A running job reads its numbers again. The visitor can stop that. */
const Watching: FC<{ readonly job: JobView }> = ({ job }) => {
  const { words, url } = usePage();
  if (job.state !== 'running') return null;
  return (
    <p class="soft">
      {!isWatched(url) ? (
        <a href={addressWith(url, { watch: null })}>{words.jobs.watch}</a>
      ) : (
        <>
          <ReadAgain />
          {words.jobs.watching} <a href={addressWith(url, { watch: 'false' })}>{words.jobs.stopWatching}</a>
        </>
      )}
    </p>
  );
};

const Counts: FC<{ readonly job: JobView }> = ({ job }) => {
  const { words: all, format } = usePage();
  const words = all.jobs;
  const figures = [
    [words.acted, job.acted],
    [words.succeeded, job.succeeded],
    [words.failed, job.failed],
    [words.waiting, job.waiting],
  ] as const;
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd class={name === words.failed && value > 0 ? 'bad' : ''}>{format.number(value)}</dd>
        </div>
      ))}
    </dl>
  );
};

const Failed: FC<{ readonly failed: readonly DeliveryView[] }> = ({ failed }) => {
  const { words } = usePage();
  return (
    <>
      <h2>
        {words.jobs.failedItems}{' '}
        {failed.length === MAX_FAILED && <span class="soft">{words.jobs.firstOf(MAX_FAILED)}</span>}
      </h2>
      <Table
        rows={failed}
        columns={[
          {
            head: words.failures.event,
            as: 'code',
            cell: ({ event_id, subject }) => <a href={`/events/${event_id}`}>{subject}</a>,
          },
          { head: words.failures.handler, as: 'code', cell: ({ handler }) => handler },
          {
            head: words.failures.error,
            cell: ({ last_error }) => <span class="error">{last_error}</span>,
          },
        ]}
      />
    </>
  );
};

const Actions: FC<{ readonly job: JobView }> = ({ job }) => {
  const page = usePage();
  const words = page.words.jobs;
  if (!may(page, 'operate') || job.state === 'finished') return null;
  const [action, label] =
    job.state === 'running' ? (['cancel', words.cancel] as const) : (['resume', words.resume] as const);
  return (
    <>
      <form method="post" action={`/jobs/${job.id}/${action}`} class="actions">
        <FormToken page={page} />
        <button class={action === 'resume' ? 'primary' : ''}>{label}</button>
      </form>
      {action === 'resume' && <p class="soft">{words.resumeWhy}</p>}
    </>
  );
};

const JobFacts: FC<{ readonly job: JobView }> = ({ job }) => {
  const words = usePage().words.jobs;
  const conditions = Object.entries(job.selection);
  return (
    <dl class="facts">
      {job.staged && (
        <>
          <dt>{words.stage}</dt>
          <dd>
            {words.stageOf(job.stage.number, job.stage.size)}
            <span class="soft"> {words.stageCounts(job.stage.acted, job.stage.ended, job.stage.failed)}</span>
          </dd>
        </>
      )}
      <dt>{words.pace}</dt>
      <dd>
        {job.rate === null ? words.noRate : words.rateOf(job.rate)};{' '}
        {job.stop_at === null ? words.neverStops : words.stopsAt(Math.round(job.stop_at * 1000) / 10)}
      </dd>
      <dt>{words.selection}</dt>
      <dd class="mono">
        {conditions.length === 0
          ? words.all
          : conditions.map(([name, value]) => `${name} ${value}`).join(', ')}
      </dd>
      {job.reason !== null && (
        <>
          <dt>{words.reason}</dt>
          <dd>{job.reason}</dd>
        </>
      )}
      {job.skipped > 0 && (
        <>
          <dt>{words.skipped}</dt>
          <dd>{job.skipped}</dd>
        </>
      )}
      {job.left_alone > 0 && (
        <>
          <dt>{words.leftAlone}</dt>
          <dd>{job.left_alone}</dd>
        </>
      )}
      {job.ended_at !== null && (
        <>
          <dt>{words.ended}</dt>
          <dd>
            <Time iso={job.ended_at} />
          </dd>
        </>
      )}
    </dl>
  );
};
