/** The page of a plan, from which its job starts. */
import type { FC } from 'hono/jsx';
import { FieldProblem, markedWrong, Notice } from '../../pages/list.tsx';
import { Hidden } from '../components/form-fields.tsx';
import { Handled, Overtaken, PlanFigures, runsTwice } from '../components/plan-figures.tsx';
import { PlannedTable, readPlannedItems, type PlannedItems } from '../components/planned-items.tsx';
import { NothingPlanned, Selection } from '../components/selection.tsx';
import { Time } from '../../pages/time.tsx';
import type { Wrong } from '../components/foreign-text.tsx';
import type { ConsoleApp, ConsoleContext, PagesDeps } from '../console-deps.ts';
import { addForm } from '../forms.ts';
import { FormToken } from '../../pages/document.tsx';
import { Frame } from '../frame.tsx';
import { requirePermission } from '../guards.ts';
import { usePage, type Page } from '../page.ts';
import { numberOf, paceProblems, replayProblems, type FieldProblems } from '../field-problems.ts';
import { addDetails } from '../../access/audited-request.ts';
import { readPlanRequest } from '../plan-address.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { machineOf } from '../../handle/define/machine.ts';
import { makePlan, type Plan } from '../../jobs/make-plan.ts';
import type { PlanRequest } from '../../jobs/plan-request.ts';
import { addressWith } from '../../pages/base-page.ts';
import { pauseView, type PauseView } from '../../view/pause-view.ts';
import { pauseSentence } from '../components/pauses.tsx';
import { conditionsOf, jobDetails } from '../../view/job-view.ts';
import { SEARCHED_FOR_COMPANY } from '../../view/parameters/conditions.ts';
import { planView, type PlanView } from '../../view/plan-view.ts';
import { Back, BACK, homes, NotStartedPage, ReasonPage, WrongPage } from './plan-refused.tsx';
import { planAgain, startPlan } from '../../jobs/start-plan.ts';

/** Percent of failures of a stage above which a job stops, unless the visitor changes it. */
const STOP_AT = '20';

/** The field with the conditions of the plan: however a start ends, the plan can be shown again. */
const AGAIN = 'again';

/** Adds the page of a plan, and the start of it. */
export function addPlanPages(app: ConsoleApp, deps: PagesDeps): void {
  const { pageOf, registry } = deps;
  const handlers = registry.definitions.map(({ name }) => name);

  async function show(c: ConsoleContext, page: Page, made: Plan, shown: Shown = {}): Promise<Response> {
    const items = await readPlannedItems(deps, made, page);
    const status = shown.problems === undefined ? 200 : 400;
    const plan = planView(made);
    const names = plan.handlers.flatMap(({ handler }) => (made.request.action === 'discard' ? [] : handler));
    const pauses = (await deps.store.pauses())
      .filter(({ handler, subject }) => subject === null && names.some((name) => machineOf(name) === handler))
      .map(pauseView);
    const retrying = await countRetrying(deps, made.request);
    return c.html(
      <PlanPage {...{ page, plan, items, pauses, retrying }} request={made.request} {...shown} />,
      status,
    );
  }

  app.get('/plan', async (c) => {
    requirePermission(c, 'operate');
    const page = await pageOf(c);
    const { searchParams } = page.url;
    const from = c.req.header('referer') ?? '';
    // Every link and form of the page carries its address on.
    if (!searchParams.has(BACK) && URL.canParse(from) && new URL(from).host === c.req.header('host'))
      searchParams.set(BACK, new URL(from).pathname + new URL(from).search);
    const wrong = (problem: Wrong | null) =>
      c.html(<WrongPage page={page} handlers={handlers} problem={problem} />, 400);
    if (searchParams.get('action') === 'replay' && hasProblems(replayProblems(page, searchParams)))
      return wrong(null);
    const conditions = new URLSearchParams(searchParams);
    conditions.delete(BACK);
    const { request, problem } = await readPlanRequest(deps.store, conditions, page.now);
    if (request === undefined) return wrong({ message: problem });
    if (request.action === 'discard' && request.reason.trim() === '')
      return c.html(<ReasonPage page={page} />);
    try {
      return await show(c, page, await makePlan(deps, request));
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
      return c.html(<NotStartedPage page={page} problem={error} expired={fields.get('expires')} />, 400);
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

interface PlanProps extends Shown {
  readonly page: Page;
  readonly plan: PlanView;
  readonly request: PlanRequest;
  /** Of handlers that the plan runs. */
  readonly pauses: readonly PauseView[];
  readonly items: PlannedItems;
  /** Deliveries that a discard leaves out because they are tried again. */
  readonly retrying: number;
}

/** What a plan that comes back shows beside its items. */
interface Shown {
  /** Items that match by now and that the plan before did not have; 0 for a first plan. */
  readonly more?: number;
  /** The pace that was typed, when something is wrong with it. */
  readonly typed?: URLSearchParams;
  readonly problems?: FieldProblems;
}

const PlanPage: FC<PlanProps> = ({ page, plan, request, items, pauses, retrying, ...shown }) => {
  const { more = 0, typed, problems = {} } = shown;
  const words = page.words.plans;
  const conditions = conditionsOf(request);
  const canStart = plan.items > 0 && !releasesNothing(plan);
  const all = plan.items + (plan.action === 'retry' ? plan.overtaken.count : 0);
  const title = releasesNothing(plan)
    ? page.words.quarantine.cannot(plan.items)
    : words.title(plan.action, plan.items, all);
  return (
    <Frame page={page} current={homes[plan.action]} title={title} refresh={0}>
      <h1>{title}</h1>
      {request.action === 'discard' && (
        <p>
          {page.words.columns.reason}: {request.reason}
        </p>
      )}
      <p class="soft">
        {page.words.jobs.selection}: <Selection conditions={conditions} />
      </p>
      {more > 0 && <Notice tone="warn">{words.more(more)}</Notice>}
      {plan.partial === true && (
        <Notice tone="warn">{page.words.groups.partial(SEARCHED_FOR_COMPANY)}</Notice>
      )}
      {plan.items + plan.overtaken.count === 0 && <NothingPlanned {...{ plan, conditions }} />}
      {retrying > 0 && (
        <Notice tone="warn">
          {words.stillRetry(retrying)}{' '}
          <a href={addressWith(page.url, { status: 'pending' })}>{words.discardRetrying}</a>
        </Notice>
      )}
      <Handled plan={plan} request={request} />
      {pauses.map((pause) => (
        <Notice tone="warn">
          {pauseSentence(page, pause)}
          <br />
          {words.paused}
        </Notice>
      ))}
      {canStart ? (
        <>
          <p class="lead">
            {words.lead} {words.expires} <Time iso={plan.expires_at} />.
          </p>
          {plan.action === 'retry' && <Notice tone="warn">{words.again}</Notice>}
          <StartForm {...{ plan, request, problems }} {...(typed && { typed })} />
        </>
      ) : (
        <p class="actions">
          <Back label={page.words.erasures.back} home={homes[plan.action]} />
          {plan.items === 0 && <a href="/jobs">{words.became}</a>}
        </p>
      )}
      <Overtaken plan={plan} rows={items.overtaken} />
      {plan.items > 0 && (
        <>
          <PlanFigures plan={plan} />
          <PlannedTable items={items} all={plan.items} isBlocked={releasesNothing(plan)} />
        </>
      )}
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

const StartForm: FC<Pick<PlanProps, 'plan' | 'request' | 'typed'> & { readonly problems: FieldProblems }> = ({
  plan,
  request,
  typed,
  problems,
}) => {
  const page = usePage();
  const words = page.words.plans;
  const { action } = plan;
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
        <Back label={words.back} home={homes[action]} />
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
        <label>
          <span>{words.rate}</span>
          <input
            name="rate"
            inputmode="decimal"
            value={typed?.get('rate') ?? ''}
            placeholder={words.rateHint}
            autocomplete="off"
            {...markedWrong('rate', problems['rate'])}
          />
          <FieldProblem name="rate" problem={problems['rate']} />
        </label>
        {action !== 'discard' && (
          <label>
            <span>{words.stopAt}</span>
            <input
              name="stop_at"
              inputmode="decimal"
              value={typed?.get('stop_at') ?? STOP_AT}
              autocomplete="off"
              {...markedWrong('stop_at', problems['stop_at'])}
            />
            <FieldProblem name="stop_at" problem={problems['stop_at']} />
          </label>
        )}
      </div>
    </form>
  );
};
