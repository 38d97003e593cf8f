import type { FC } from 'hono/jsx';
import { Empty, Notice } from '../components/list.tsx';
import { Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { addForm } from '../forms.ts';
import { FormToken, Frame, type PageName } from '../frame.tsx';
import { requirePermission } from '../guards.ts';
import { usePage, type Page } from '../page.ts';
import { readPlanRequest } from '../plan-address.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { makePlan } from '../../jobs/make-plan.ts';
import { planView, type PlanView } from '../../jobs/plan-view.ts';
import { startPlan } from '../../jobs/start-plan.ts';
import type { JobAction } from '../../store/jobs.ts';

/** Percent of failures of a stage above which a job stops, unless the visitor changes it. */
const STOP_AT = '20';

/** The entry of the navigation that an action belongs to. */
const homes: Readonly<Record<JobAction, PageName>> = {
  retry: 'failures',
  discard: 'failures',
  release: 'quarantine',
  replay: 'replays',
};

/** Adds the page of a plan, and the start of it. */
export function addPlanPages(app: ConsoleApp, deps: PagesDeps): void {
  const { pageOf } = deps;

  app.get('/plan', async (c) => {
    requirePermission(c, 'operate');
    const page = await pageOf(c);
    const { searchParams } = page.url;
    const { request, problem } = readPlanRequest(searchParams, page.now);
    if (request === undefined) return c.html(<WrongPlanPage page={page} problem={problem} />, 400);
    if (request.action === 'discard' && request.reason === '') return c.html(<ReasonPage page={page} />);
    try {
      const plan = planView(await makePlan(deps, request));
      return await c.html(<PlanPage page={page} plan={plan} more={0} />);
    } catch (error) {
      if (!PortariaError.is(error, 'invalid-argument')) throw error;
      return c.html(<WrongPlanPage page={page} problem={(error as Error).message} />, 400);
    }
  });

  addForm(app, '/plan/start', { action: 'startPlan' }, async (c) => {
    const fields = c.get('fields');
    try {
      const started = await startPlan(deps, fields.get('plan') ?? '', {
        staged: fields.get('staged') === 'true',
        rate: numberOf(fields.get('rate')),
        stopAt: shareOf(fields.get('stop_at')),
        requestedBy: c.get('visitor').name,
      });
      if (started.job !== null)
        return c.redirect(
          `/jobs/${started.job.id}${started.gone > 0 ? `?gone=${String(started.gone)}` : ''}`,
          303,
        );
      const page = await pageOf(c);
      return await c.html(<PlanPage page={page} plan={planView(started.plan)} more={started.more} />);
    } catch (error) {
      if (!PortariaError.is(error, 'invalid-argument')) throw error;
      const page = await pageOf(c);
      return c.html(<WrongPlanPage page={page} problem={(error as Error).message} />, 400);
    }
  });
}

/** An empty field is no limit; a text that is no number becomes NaN, which a start rejects. */
function numberOf(text: string | null): number | null {
  return text === null || text.trim() === '' ? null : Number(text.replace(',', '.'));
}

function shareOf(text: string | null): number | null {
  const percent = numberOf(text);
  return percent === null ? null : percent / 100;
}

const WrongPlanPage: FC<{ readonly page: Page; readonly problem: string }> = ({ page, problem }) => (
  <Frame page={page} current="jobs" title={page.words.errors.failed}>
    <h1>{page.words.errors.failed}</h1>
    <Notice tone="bad">{problem}</Notice>
    <p>
      <a href="/jobs">{page.words.jobs.title}</a>
    </p>
  </Frame>
);

/** What cannot be undone asks for a reason first. */
const ReasonPage: FC<{ readonly page: Page }> = ({ page }) => {
  const words = page.words.plans;
  const given = [...page.url.searchParams].filter(([name]) => name !== 'reason');
  return (
    <Frame page={page} current="failures" title={words.reason}>
      <h1>{words.reason}</h1>
      <form action="/plan" class="stack plan">
        {given.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <label>
          <span>{words.reasonWhy}</span>
          <input name="reason" required maxlength={500} autocomplete="off" />
        </label>
        <div class="actions">
          <button class="primary">{words.toPlan}</button>
          <a class="button" href="/failures">
            {words.back}
          </a>
        </div>
      </form>
    </Frame>
  );
};

interface PlanProps {
  readonly page: Page;
  readonly plan: PlanView;
  /** Items that match by now and that the plan before did not have; 0 for a first plan. */
  readonly more: number;
}

const PlanPage: FC<PlanProps> = ({ page, plan, more }) => {
  const words = page.words.plans;
  const title = words.title(plan.action, plan.items);
  return (
    <Frame page={page} current={homes[plan.action]} title={title}>
      <h1>{title}</h1>
      {more > 0 && <Notice tone="warn">{words.more(more)}</Notice>}
      {plan.items === 0 ? (
        <Empty>{words.nothing}</Empty>
      ) : (
        <>
          <p class="lead">{words.lead}</p>
          <Figures plan={plan} />
          <StartForm plan={plan} />
        </>
      )}
    </Frame>
  );
};

type PlannedRow = PlanView['handlers'][number];

const Figures: FC<{ readonly plan: PlanView }> = ({ plan }) => {
  const { words: all, format } = usePage();
  const words = all.plans;
  const { entries, replay, handlers, lanes } = plan;
  const number = (value: number | null): string => (value === null ? '–' : format.number(value));
  return (
    <>
      {replay !== null && <p>{words.events(replay.events, replay.subjects, replay.pruned)}</p>}
      {replay !== null && replay.unrecognized > 0 && (
        <Notice tone="warn">{words.unrecognized(replay.unrecognized)}</Notice>
      )}
      {entries !== null && (
        <p>
          {words.passing(entries.passing, entries.tried)}
          {entries.tried < plan.items && ` ${words.triedFirst(entries.tried)}`}
        </p>
      )}
      {entries !== null && entries.left.length > 0 && (
        <>
          <h2>{words.stay}</h2>
          <Table
            rows={entries.left}
            columns={[
              { head: words.field, as: 'code', cell: ({ path }) => path || '–' },
              { head: words.problem, cell: ({ problem }) => problem },
              { head: words.entries, as: 'number', cell: ({ entries: count }) => number(count) },
            ]}
          />
        </>
      )}
      {handlers.length > 0 && (
        <>
          <h2>{words.handlers}</h2>
          <Table
            rows={handlers}
            columns={[
              { head: words.handler, as: 'code', cell: ({ handler }) => handler },
              { head: words.items, as: 'number', cell: ({ items }) => number(items) },
              ...(replay === null
                ? ([
                    { head: words.lanes, as: 'number', cell: (each: PlannedRow) => number(each.lanes) },
                    {
                      head: words.retriedBefore,
                      as: 'number',
                      cell: (each: PlannedRow) => number(each.retried_before),
                    },
                    {
                      head: words.oldest,
                      cell: ({ oldest_at }: PlannedRow) => <Time iso={oldest_at} as="relative" />,
                    },
                  ] as const)
                : []),
            ]}
          />
        </>
      )}
      {(lanes[0]?.deliveries ?? 0) > 1 && (
        <>
          <h2>{words.busiest}</h2>
          <Table
            rows={lanes}
            columns={[
              {
                head: words.subject,
                as: 'code',
                cell: ({ subject }) => <a href={`/subjects/${encodeURIComponent(subject)}`}>{subject}</a>,
              },
              { head: words.handler, as: 'code', cell: ({ handler }) => handler },
              { head: words.items, as: 'number', cell: ({ deliveries }) => number(deliveries) },
            ]}
          />
        </>
      )}
    </>
  );
};

const StartForm: FC<{ readonly plan: PlanView }> = ({ plan }) => {
  const page = usePage();
  const words = page.words.plans;
  const { action } = plan;
  const hasStages = action === 'retry' || action === 'release';
  return (
    <form method="post" action="/plan/start" class="stack plan">
      <FormToken page={page} />
      <input type="hidden" name="plan" value={plan.plan} />
      <h2>{words.how}</h2>
      {hasStages && (
        <label class="check">
          <input type="checkbox" name="staged" value="true" checked />
          <span>
            {words.staged}. <span class="soft">{words.stagedWhy}</span>
          </span>
        </label>
      )}
      <div class="filters">
        <label>
          <span>{words.rate}</span>
          <input name="rate" inputmode="decimal" placeholder={words.rateHint} autocomplete="off" />
        </label>
        {action !== 'discard' && (
          <label>
            <span>{words.stopAt}</span>
            <input name="stop_at" inputmode="decimal" value={STOP_AT} autocomplete="off" />
          </label>
        )}
      </div>
      <p class="soft">{words.expires(page.format.instant(plan.expires_at))}</p>
      <div class="actions">
        <button class="primary">{words.start[action]}</button>
        <a class="button" href={`/${homes[action]}`}>
          {words.back}
        </a>
      </div>
    </form>
  );
};
