/** Starts signed plans as jobs. */
import { PortariaError } from '../kernel/errors.ts';
import type { JobPace, JobRecord, JobSelection } from '../store/jobs.ts';
import { eachPage } from '../kernel/row-pages.ts';
import type { JobDeps } from './job-deps.ts';
import type { PlanRequest } from './plan-request.ts';
import { deliveriesOf, entriesOf, eventsOf, figuresOf, makePlan, lookUp, type Plan } from './make-plan.ts';
import { MAX_NAMED } from './job-items.ts';
import { createPlanSigner, type PlanBounds } from './signed-plan.ts';

/** Jobs that are read at a time. */
const PAGE = 100;

/** The pace of a plan's job, and who starts it. */
export interface StartOptions extends JobPace {
  readonly requestedBy: string;
}

/** A plan that was started, or the plan that it has become. */
export type StartedPlan =
  | {
      readonly job: JobRecord;
      /** Planned items that have changed since: the job does not act on them. */
      readonly gone: number;
    }
  | {
      readonly job: null;
      /** Items that the request selects now and that the plan does not have. */
      readonly more: number;
      /** The plan of now, to be confirmed instead. */
      readonly plan: Plan;
    };

/**
 * Starts a plan. It acts on what was planned, and on nothing else. When the request selects more by now, it
 * starts nothing and returns the plan of now, once: that plan starts even if still more has come.
 *
 * @throws PortariaError `invalid-argument` for a plan that is altered or over, and for a discard without a reason
 */
export async function startPlan(deps: JobDeps, token: string, options: StartOptions): Promise<StartedPlan> {
  const { store, clock } = deps;
  requirePace(options);
  const plan = (await createPlanSigner(store)).open(token, clock.now());
  const { bounds } = plan;
  if (plan.request.action === 'discard' && plan.request.reason.trim() === '')
    throw new PortariaError('invalid-argument', 'reason is empty: say why they are discarded');
  const request = await lookUp(deps, plan.request);
  const still = await figuresOf(deps, request, bounds);
  if (!plan.again) {
    const all = await figuresOf(deps, request, null);
    // After an upgrade, handlers and the contract may take more of what was there.
    const more = all.items - Math.min(still.items, plan.items);
    if (more > 0) return { job: null, more, plan: await makePlan(deps, plan.request, true) };
  }
  // A form that is sent again returns its job. Of two at once, the store creates one job.
  const started = await findJob(store, (job) => job.plan === plan.id, bounds.at);
  if (started !== undefined) return { job: started, gone: 0 };
  const { staged, rate, stopAt, requestedBy } = options;
  const left = plan.left ?? (request.action === 'retry' ? still.overtaken.count : 0);
  const selection = await named(store, selectionOf(request, bounds));
  const job = await store.createJob(
    {
      plan: plan.id,
      action: request.action,
      selection: { ...selection, ...(left > 0 && { left }) },
      planned: plan.items + left,
      staged: staged && request.action !== 'discard',
      rate,
      stopAt: request.action === 'discard' ? null : stopAt,
      reason: request.action === 'discard' ? request.reason : null,
      requestedBy,
    },
    clock.now(),
  );
  return { job, gone: Math.max(0, plan.items - still.items) };
}

/**
 * Returns the plan of now of a plan that was not started.
 *
 * @throws PortariaError `invalid-argument` for a plan that is altered or over
 */
export async function planAgain(deps: JobDeps, token: string): Promise<Plan> {
  const { request, again } = (await createPlanSigner(deps.store)).open(token, deps.clock.now());
  return makePlan(deps, request, again);
}

/** Finds the newest job that fits, among those that were created at a time or later. */
async function findJob(
  store: Pick<JobDeps['store'], 'jobs'>,
  fits: (job: JobRecord) => boolean,
  createdFrom: number,
): Promise<JobRecord | undefined> {
  for await (const page of eachPage((page) => store.jobs(page), { limit: PAGE })) {
    const found = page.find(fits);
    if (found !== undefined) return found;
    const last = page.at(-1);
    if (last !== undefined && last.createdAt < createdFrom) return undefined;
  }
  return undefined;
}

/** @throws PortariaError `invalid-argument` */
function requirePace({ rate, stopAt }: JobPace): void {
  if (rate !== null && !(rate > 0 && rate <= 100_000))
    throw new PortariaError('invalid-argument', 'rate: write items per second, above 0');
  if (stopAt !== null && !(stopAt >= 0 && stopAt <= 1))
    throw new PortariaError('invalid-argument', 'stop at: write a share from 0 to 100 %');
}

/** Adds the ids of the items, where they are few. */
async function named(
  store: Pick<JobDeps['store'], 'deliveries' | 'quarantined'>,
  selection: JobSelection,
): Promise<JobSelection> {
  const page = { order: 'oldest', limit: MAX_NAMED + 1 } as const;
  const idsOf = (rows: readonly { readonly id: string }[]) =>
    rows.length > MAX_NAMED ? {} : { planned: rows.map(({ id }) => id) };
  if ('deliveries' in selection)
    return { ...selection, ...idsOf(await store.deliveries(selection.deliveries, page)) };
  if ('entries' in selection)
    return { ...selection, ...idsOf(await store.quarantined(selection.entries, page)) };
  return selection;
}

function selectionOf(request: PlanRequest, bounds: PlanBounds): JobSelection {
  switch (request.action) {
    case 'retry':
      return {
        deliveries: deliveriesOf(request, bounds),
        includeOvertaken: request.includeOvertaken ?? false,
      };
    case 'discard':
      return { deliveries: deliveriesOf(request, bounds) };
    case 'release':
      return {
        entries: entriesOf(request.entries, bounds),
        includeOvertaken: request.includeOvertaken ?? false,
      };
    case 'repair':
      return { repair: request.repair };
    case 'replay':
      return { events: { ...request.events, filter: eventsOf(request.events.filter, bounds) } };
  }
}
