/** The pages of jobs. */
import type { FC } from 'hono/jsx';
import { CountLink } from '../components/event-cells.tsx';
import { Facts } from '../components/facts.tsx';
import { Empty, Pager } from '../../pages/list.tsx';
import { State, type Tone } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import { ForOperators } from '../components/form-fields.tsx';
import { DiscardOvertaken } from '../components/groups.tsx';
import { ComposeReplay } from '../components/compose-replay.tsx';
import { JobItems, notBegun } from '../components/job-items.tsx';
import { Selection } from '../components/selection.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { addForm } from '../forms.ts';
import { FormToken } from '../../pages/document.tsx';
import { Frame, READ_AGAIN_S } from '../frame.tsx';
import { cursorOf } from '../list-filter.ts';
import { may, usePage, type Page } from '../page.ts';
import { addDetails } from '../../access/audited-request.ts';
import { cancelJob, findJob, resumeJob } from '../../jobs/change-job.ts';
import { jobItems, MAX_NAMED } from '../../jobs/job-items.ts';
import { listJobs, showJob } from '../../jobs/list-jobs.ts';
import { printableLine } from '../../kernel/text/printable.ts';
import { readPage } from '../../kernel/row-pages.ts';
import { say } from '../../kernel/text/sentences.ts';
import { instantText } from '../../view/instant-text.ts';
import { itemResultSchema, type ItemResult } from '../../view/job-item-view.ts';
import type { JobView } from '../../view/job-view.ts';

/** Jobs of a page, and items of the page of a job. */
const LIMIT = 50;
const MAX_ITEMS = 25;

const tones: Readonly<Record<Exclude<JobView['state'], 'finished'>, Tone>> = {
  ...{ running: 'warn', stopped: 'bad', cancelled: 'off' },
};

/** Adds the list of jobs with the form for a replay, and the page of one: its progress, the results of its items, cancel and resume. */
export function addJobPages(app: ConsoleApp, deps: PagesDeps): void {
  const { store, registry, pageOf } = deps;
  const handlers = registry.definitions.map(({ name }) => name);

  app.get('/jobs', async (c) => {
    const page = await pageOf(c);
    const { jobs: words, compose, frame } = page.words;
    const after = cursorOf(page.url.searchParams);
    const { rows, next } = await readPage(LIMIT, after, (limits) => listJobs(store, limits));
    return c.html(
      <Frame page={page} current="jobs" title={frame.names.jobs}>
        <h1>{frame.names.jobs}</h1>
        <p class="lead">{words.lead}</p>
        {may(page, 'operate') && handlers.length > 0 && (
          <details class="compose">
            <summary>{compose.title}</summary>
            <p class="soft">{compose.lead}</p>
            <ComposeReplay handlers={handlers} />
          </details>
        )}
        {rows.length === 0 ? <Empty>{words.none}</Empty> : <JobTable jobs={rows} />}
        <Pager next={next} />
      </Frame>,
    );
  });

  app.get('/jobs/:id', async (c) =>
    c.html(<JobPage {...await readJob(deps, await pageOf(c), c.req.param('id'))} />),
  );

  addForm(app, '/jobs/:id/cancel', { action: 'cancelJob' }, async (c) => {
    const { id } = await cancelJob(deps, c.req.param('id'), c.get('visitor').name);
    addDetails(c, { job: id });
    return c.redirect(`/jobs/${id}`, 303);
  });

  addForm(app, '/jobs/:id/resume', { action: 'resumeJob' }, async (c) => {
    const { id } = await resumeJob(deps, c.req.param('id'));
    addDetails(c, { job: id });
    return c.redirect(`/jobs/${id}`, 303);
  });
}

async function readJob(deps: PagesDeps, page: Page, id: string) {
  const { store } = deps;
  const job = await showJob(store, id);
  const figures = figuresOf(job);
  const asked = itemResultSchema.safeParse(page.url.searchParams.get('show')).data;
  const wanted = ['failed', 'left_alone', 'not_begun', 'succeeded', 'skipped'] as const;
  const first = wanted.slice(0, job.state === 'finished' ? 5 : 3).find((each) => figures[each] > 0);
  const result = asked ?? first ?? 'failed';
  const after = cursorOf(page.url.searchParams);
  const read = (limits: Parameters<typeof listJobs>[1]) =>
    jobItems(store, id, { ...limits, result, unmask: page.unmask });
  const items =
    result === 'not_begun' && job.action === 'replay'
      ? await notBegun(deps, await findJob(store, id), { after, limit: MAX_ITEMS })
      : await readPage(MAX_ITEMS, after, read);
  const left = job.action === 'retry' && result === 'left_alone' ? await read({ limit: MAX_NAMED }) : [];
  const older = left.filter(({ why, status }) => why === 'overtaken' && status === 'dead');
  // A resume begins a stage.
  const resumes = { action: 'resumeJob', subject: id, since: Date.parse(job.created_at) };
  const [resumed] = job.stage.number === 1 ? [] : await store.audit(resumes, { order: 'newest', limit: 1 });
  /** Ids of what it left alone because newer events came first, on all pages. */
  const overtaken = older.map((item) => item.id);
  return { page, job, result, all: figures[result], ...items, overtaken, resumed };
}

const JobTable: FC<{ readonly jobs: readonly JobView[] }> = ({ jobs }) => {
  const { jobs: words, columns, frame } = usePage().words;
  return (
    <Table
      rows={jobs}
      columns={[
        { head: words.id, as: 'code', cell: ({ id }) => <a href={`/jobs/${id}`}>{id}</a> },
        { head: columns.action, cell: ({ action }) => words.actions[action] },
        { head: columns.state, cell: (job) => <JobState job={job} /> },
        {
          head: words.progress,
          cell: (job) => {
            const progress = words.progressOf(job.acted + job.left_alone, job.planned);
            if (job.failed === 0) return progress;
            return (
              <a class="bad" href={itemsAddress(job, 'failed')}>
                {progress} · {words.failedOf(job.failed)}
              </a>
            );
          },
        },
        { head: words.started, cell: ({ created_at }) => <Time iso={created_at} as="relative" /> },
        { head: columns.by, cell: ({ requested_by }) => frame.visitor(requested_by) },
      ]}
    />
  );
};

const JobState: FC<{ readonly job: JobView }> = ({ job: { state, failed, acted, planned } }) => {
  const words = usePage().words.jobs.states;
  if (state !== 'finished') return <State tone={tones[state]} word={words[state]} />;
  if (failed > 0) return <State tone="bad" word={words.incomplete} />;
  return acted === 0 && planned > 0 ? (
    <State tone="off" word={words.idle} />
  ) : (
    <State tone="ok" word={words.finished} />
  );
};

const JobPage: FC<Awaited<ReturnType<typeof readJob>>> = (shown) => {
  const { page, job, result, all, rows, next, overtaken, resumed } = shown;
  const { jobs: words, columns, frame } = page.words;
  const title = words.deed(job.action, job.planned - job.left_out, job.planned);
  const isWhole = next === null && !page.url.searchParams.has('after');
  const unnamed = isWhole ? all - rows.length : 0;
  const changed = job.planned <= MAX_NAMED ? words.changed : words.unnamed;
  return (
    <Frame page={page} current="jobs" title={title} refresh={job.state === 'running' ? READ_AGAIN_S : 0}>
      <h1>{title}</h1>
      <p class="lead">
        <span class="mono">{job.id}</span> · {frame.visitor(job.requested_by)} · <Time iso={job.created_at} />
      </p>
      <div>
        {/* Read aloud when it changes: at each quarter, not at each item. */}
        <p role="status">
          {job.ending?.code !== 'cancelled' && <JobState job={job} />}
          {job.state === 'running' && quarterOf(job) > 0 && (
            <span class="unseen"> {words.atLeast(quarterOf(job))}</span>
          )}
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
        {job.state !== 'finished' && (
          <ForOperators>
            <Actions job={job} />
          </ForOperators>
        )}
        {all > 0 && (
          <section id="items">
            <h2>
              {rows.length > 0 && rows.every(({ why }) => why === 'overtaken')
                ? words.overtaken
                : headingOf(words, job, result)}
            </h2>
            {result !== 'not_begun' && unnamed > 0 && <p class="soft">{changed(unnamed)}</p>}
            {result === 'not_begun' && job.ending !== null && (
              <p class="soft">{words.notBegun(all, say(words.endings, job.ending))}</p>
            )}
            {rows.length > 0 && <JobItems items={rows} isDiscard={job.action === 'discard'} />}
            <Pager next={next} labels={{ next: words.more, first: words.first }} />
            {overtaken.length > 0 && (
              <p class="actions">
                <DiscardOvertaken ids={overtaken} isPrimary={false} />
              </p>
            )}
          </section>
        )}
      </div>
      <Facts
        facts={[
          job.staged && [words.stage, words.stageOf(job.stage.number, job.stage.size)],
          [
            words.pace,
            `${job.rate === null ? words.noRate : words.rateOf(job.rate)}; ${job.stop_at === null ? words.neverStops : words.stopsAt(Math.round(job.stop_at * 1000) / 10)}`,
          ],
          [words.selection, <Selection conditions={job.selection} />],
          job.reason !== null && [columns.reason, job.reason],
          resumed !== undefined && [
            words.resumed,
            <>
              {frame.visitor(printableLine(resumed.actor ?? '–'))} <Time iso={instantText(resumed.at)} />
            </>,
          ],
          job.ended_at !== null && [words.ended, <Time iso={job.ended_at} />],
        ]}
      />
    </Frame>
  );
};

/** Percent of a job, rounded down to a quarter. */
const quarterOf = ({ acted, left_alone: left, planned }: JobView): number =>
  Math.floor((4 * (acted + left)) / Math.max(1, planned)) * 25;

/** How many items have each result. They add up to what was planned. */
function figuresOf(job: JobView): Readonly<Record<ItemResult, number>> {
  const { succeeded, failed, skipped, waiting, left_alone } = job;
  const rest = Math.max(0, job.planned - job.acted - left_alone);
  return { succeeded, failed, left_alone, skipped, waiting, not_begun: rest };
}

/** What was left alone has a name of its own where it cannot be released, and what is skipped where that was wanted. */
function headingOf(words: Page['words']['jobs'], { action }: JobView, result: ItemResult): string {
  if (action === 'release' && result in words.releases) return words.releases[result as 'left_alone'];
  if (action === 'retry' && result === 'left_alone') return words.notRun;
  return action === 'discard' && result === 'skipped' ? words.discarded : words.results[result];
}

const itemsAddress = ({ id }: JobView, result: ItemResult): string => `/jobs/${id}?show=${result}#items`;

const Counts: FC<{ readonly job: JobView }> = ({ job }) => {
  const { words, format } = usePage();
  const always: readonly ItemResult[] =
    job.action === 'discard' ? ['skipped', 'left_alone'] : ['succeeded', 'failed', 'left_alone'];
  const figures = Object.entries(figuresOf(job)) as [ItemResult, number][];
  return (
    <dl class="figures">
      <div>
        <dt>{words.jobs.planned}</dt>
        <dd>{format.number(job.planned)}</dd>
      </div>
      {figures
        .filter(([result, count]) => count > 0 || always.includes(result))
        .map(([result, count]) => (
          <div>
            <dt>{headingOf(words.jobs, job, result)}</dt>
            <dd>
              <CountLink count={count} href={itemsAddress(job, result)} isBad={result === 'failed'} />
            </dd>
          </div>
        ))}
    </dl>
  );
};

/** The way to stop it, or to go on. */
const Actions: FC<{ readonly job: JobView }> = ({ job }) => {
  const page = usePage();
  const words = page.words.jobs;
  const action = job.state === 'running' ? 'cancel' : 'resume';
  return (
    <>
      <form method="post" action={`/jobs/${job.id}/${action}`} class="actions">
        <FormToken page={page} />
        <button class={action === 'resume' ? 'primary' : ''}>{words[action]}</button>
      </form>
      {action === 'resume' && <p class="soft">{words.resumeWhy(job)}</p>}
    </>
  );
};
