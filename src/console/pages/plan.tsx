/** The page of a plan, from which its job starts. */
import type { FC } from 'hono/jsx';
import { Empty, Notice, TextFilter } from '../../pages/list.tsx';
import { Hidden } from '../components/form-fields.tsx';
import { LeftOut, OvertakenTable, PlanFigures, runsTwice, Twice } from '../components/plan-figures.tsx';
import { PlannedTable, readPlannedItems } from '../components/planned-items.tsx';
import { Selection } from '../components/selection.tsx';
import { Time } from '../../pages/time.tsx';
import type { Wrong } from '../components/foreign-text.tsx';
import type { ConsoleApp, ConsoleContext, PagesDeps } from '../console-deps.ts';
import { addForm } from '../forms.ts';
import { FormToken } from '../../pages/document.tsx';
import { Frame } from '../frame.tsx';
import { requirePermission } from '../guards.ts';
import { usePage, type Page } from '../page.ts';
import { numberOf, paceProblems, replayProblems, type FieldProblems } from '../list-filter.ts';
import { addDetails } from '../../access/audited-request.ts';
import { readPlanRequest } from '../plan-address.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { machineOf } from '../../handle/define/machine.ts';
import { makePlan, type Plan } from '../../jobs/make-plan.ts';
import type { PlanRequest } from '../../jobs/plan-request.ts';
import { addressWith } from '../../pages/base-page.ts';
import { instantText } from '../../view/instant-text.ts';
import { pauseView } from '../../view/pause-view.ts';
import { PauseLines } from '../components/pauses.tsx';
import { conditionsOf, jobDetails } from '../../view/job-view.ts';
import { SEARCHED_FOR_COMPANY } from '../../view/parameters/conditions.ts';
import { planView, type PlanView } from '../../view/plan-view.ts';
import { Back, BACK, cameFrom, ReasonPage, RefusedPage, ReplayPage } from './plan-refused.tsx';
import { findEarlierReplay } from '../../jobs/replay/earlier-replay.ts';
import { planAgain, startPlan } from '../../jobs/start-plan.ts';

/** Percent of failures of a stage above which a job stops, unless the visitor changes it. */
const STOP_AT = '20';

/** The field with the conditions of the plan: however a start ends, the plan can be shown again. */
const AGAIN = 'again';

/** Adds the page of a plan, and the start of it. */
export function addPlanPages(app: ConsoleApp, deps: PagesDeps): void {
  const { pageOf, registry } = deps;
  const handlers = registry.definitions.map(({ name }) => name);

  async function show(c: ConsoleContext, page: Page, made: Plan, typed: Typed = {}): Promise<Response> {
    const shown = await readPlan(deps, page, made);
    return c.html(<PlanPage {...shown} {...typed} />, typed.problems === undefined ? 200 : 400);
  }

  app.get('/plan', async (c) => {
    requirePermission(c, 'operate');
    const page = await pageOf(c);
    const { searchParams } = page.url;
    const from = c.req.header('referer') ?? '';
    // Every link and form of the page carries its address on.
    if (!searchParams.has(BACK) && URL.canParse(from) && new URL(from).host === c.req.header('host'))
      searchParams.set(BACK, new URL(from).pathname + new URL(from).search);
    const isReplay = searchParams.get('action') === 'replay';
    const problems = isReplay ? replayProblems(page) : {};
    const wrong = (problem: Wrong | null) =>
      c.html(
        isReplay || problem === null ? (
          <ReplayPage {...{ page, handlers, problem, problems }} />
        ) : (
          <RefusedPage {...{ page, problem }} />
        ),
        problem === null && !hasProblems(problems) ? 200 : 400,
      );
    if (hasProblems(problems) || (isReplay && !searchParams.has('handlers'))) return wrong(null);
    const conditions = new URLSearchParams(searchParams);
    conditions.delete(BACK);
    const { request, problem } = await readPlanRequest(deps.store, conditions, page.now);
    if (request === undefined) return wrong({ message: problem });
    try {
      const plan = await makePlan(deps, request);
      if (request.action === 'discard' && request.reason.trim() === '')
        return await c.html(<ReasonPage page={page} items={plan.items} />);
      return await show(c, page, plan);
    } catch (error) {
      if (!PortariaError.is(error, 'invalid-argument')) throw error;
      return wrong(error);
    }
  });

  addForm(app, '/plan/start', { action: 'startPlan' }, async (c) => {
    const fields = c.get('fields');
    const plan = fields.get('plan') ?? '';
    const page = await pageOf(c);
    page.url.pathname = '/plan';
    page.url.search = fields.get(AGAIN) ?? '';
    try {
      const problems = paceProblems(page, fields);
      if (hasProblems(problems))
        return await show(c, page, await planAgain(deps, plan), { typed: fields, problems });
      const started = await startPlan(deps, plan, {
        staged: fields.get('staged') === 'true',
        rate: numberOf(fields.get('rate')),
        stopAt: shareOf(fields.get('stop_at')),
        requestedBy: c.get('visitor').name,
      });
      if (started.job === null) return await show(c, page, started.plan, { more: started.more });
      addDetails(c, jobDetails(started.job), started.job.reason);
      return c.redirect(`/jobs/${started.job.id}`, 303);
    } catch (error) {
      if (!PortariaError.is(error, 'invalid-argument')) throw error;
      return c.html(<RefusedPage page={page} problem={error} expired={fields.get('expires')} />, 400);
    }
  });
}

/** Counts what a discard by error leaves out: deliveries with that error that are tried again. */
async function countRetrying({ store }: Pick<PagesDeps, 'store'>, request: PlanRequest): Promise<number> {
  if (request.action !== 'discard' || request.deliveries.error === undefined) return 0;
  if (request.deliveries.status === 'pending') return 0;
  const { handlers } = await store.countDeliveries({ ...request.deliveries, status: 'pending' });
  return handlers.reduce((sum, { deliveries }) => sum + deliveries, 0);
}

function shareOf(text: string | null): number | null {
  const percent = numberOf(text);
  return percent === null ? null : percent / 100;
}

function hasProblems(problems: FieldProblems): boolean {
  return Object.keys(problems).length > 0;
}

async function readPlan(deps: PagesDeps, page: Page, made: Plan) {
  const { request } = made;
  const plan = planView(made);
  const names = plan.handlers.flatMap(({ handler }) => (request.action === 'discard' ? [] : handler));
  return {
    ...{ page, plan, request, items: await readPlannedItems(deps, made, page) },
    runs: made.runs === undefined ? [] : [...made.runs.values()],
    /** Of handlers that the plan runs. */
    pauses: (await deps.store.pauses())
      .filter(({ handler, subject }) => subject === null && names.some((name) => machineOf(name) === handler))
      .map(pauseView),
    /** Deliveries that a discard leaves out because they are tried again. */
    retrying: await countRetrying(deps, request),
    earlier: await findEarlierReplay(deps.store, request),
  };
}

/** What a plan that comes back shows beside its items. */
interface Typed {
  /** Items that match by now and that the plan before did not have; 0 for a first plan. */
  readonly more?: number;
  /** The pace that was typed, when something is wrong with it. */
  readonly typed?: URLSearchParams;
  readonly problems?: FieldProblems;
}

type Shown = Awaited<ReturnType<typeof readPlan>> & Typed;

const PlanPage: FC<Shown> = (shown) => {
  const { page, plan, request, items, runs, pauses, retrying, earlier, more = 0 } = shown;
  const { plans: words, ...all } = page.words;
  const canStart = plan.items > 0 && !releasesNothing(plan);
  const selected = plan.items + (plan.action === 'retry' ? plan.overtaken.count : 0);
  const title = releasesNothing(plan)
    ? all.quarantine.cannot(plan.items)
    : words.title(plan.action, plan.items, selected);
  return (
    <Frame page={page} current={cameFrom(page, plan.action)} title={title} refresh={0}>
      <h1>{title}</h1>
      {request.action === 'discard' && (
        <p>
          {all.columns.reason}: {request.reason}
        </p>
      )}
      <p class="soft">
        {all.jobs.selection}: <Selection conditions={conditionsOf(request)} />
      </p>
      {runs.length > 0 && <p>{words.become(runs.length, runs.filter(({ length }) => length > 0).length)}</p>}
      {more > 0 && <Notice tone="warn">{words.more(more)}</Notice>}
      {plan.partial === true && <Notice tone="warn">{all.groups.partial(SEARCHED_FOR_COMPANY)}</Notice>}
      {plan.items + plan.overtaken.count === 0 && <Empty>{words.nothing}</Empty>}
      {retrying > 0 && (
        <Notice tone="warn">
          {words.stillRetry(retrying)}{' '}
          <a href={addressWith(page.url, { status: 'pending' })}>{words.discardRetrying}</a>
        </Notice>
      )}
      {canStart && earlier !== undefined && (
        <Notice tone="warn">
          <a href={`/jobs/${earlier.id}`}>{words.replayedBefore(earlier.id, earlier.acted)}</a>,{' '}
          <Time iso={instantText(earlier.createdAt)} />.
        </Notice>
      )}
      <Twice plan={plan} request={request} />
      <PauseLines pauses={pauses} />
      {pauses.length > 0 && <p class="soft">{words.paused}</p>}
      {canStart ? (
        <>
          <p class="lead">
            {words.lead} {words.expires} <Time iso={plan.expires_at} />.
          </p>
          {plan.action === 'retry' && <Notice tone="warn">{words.again}</Notice>}
          <StartForm {...shown} />
        </>
      ) : (
        <p class="actions">
          <Back label={all.erasures.back} action={plan.action} />
          {plan.items === 0 && <a href="/jobs">{words.became}</a>}
        </p>
      )}
      <LeftOut plan={plan} request={request} />
      {plan.items > 0 && (
        <>
          <PlanFigures plan={plan} />
          <PlannedTable items={items} all={plan.items} isBlocked={releasesNothing(plan)} />
        </>
      )}
      <OvertakenTable plan={plan} rows={items.overtaken} />
    </Frame>
  );
};

/** Whether every webhook of a release was tried, and none can leave the quarantine. */
const releasesNothing = ({ entries, items }: PlanView): boolean =>
  items > 0 && entries?.passing === 0 && entries.tried === items;

/** A button in another colour: what was handled runs again, or what it does cannot be undone. */
function isDangerous({ action, handlers }: PlanView, request: PlanRequest): boolean {
  return action === 'discard' || (runsTwice(request) && handlers.some((each) => each.already_succeeded));
}

const StartForm: FC<Shown> = ({ plan, request, typed, problems = {} }) => {
  const page = usePage();
  const words = page.words.plans;
  const { action } = plan;
  const field = { of: 'number', hint: words.rateHint } as const;
  return (
    <form method="post" action="/plan/start" class="stack plan">
      <FormToken page={page} />
      <Hidden
        fields={[
          ['plan', plan.plan],
          ['expires', plan.expires_at],
          [AGAIN, page.url.search],
        ]}
      />
      <div class="actions">
        <button class={isDangerous(plan, request) ? 'danger' : plan.entries?.passing === 0 ? '' : 'primary'}>
          {page.words.jobs.deed(action, plan.items, plan.items)}
        </button>
        <Back label={words.back} action={action} />
      </div>
      {action !== 'discard' && (
        <label class="check">
          <input type="checkbox" name="staged" value="true" checked={typed?.get('staged') !== null} />
          <span>
            {words.staged}. <span class="soft">{words.stagedWhy}</span>
          </span>
        </label>
      )}
      <div class="filters">
        <TextFilter
          {...{ ...field, name: 'rate', label: words.rate, problem: problems['rate'] }}
          value={typed?.get('rate') ?? ''}
        />
        {action !== 'discard' && (
          <TextFilter
            {...{ ...field, name: 'stop_at', label: words.stopAt, problem: problems['stop_at'] }}
            value={typed?.get('stop_at') ?? STOP_AT}
          />
        )}
      </div>
    </form>
  );
};
