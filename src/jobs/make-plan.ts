/** Makes the plan of a change of many rows, in numbers, and signs it. */
import { randomBytes } from 'node:crypto';
import type { IdentifiedEvent } from '../event/event.ts';
import { PortariaError } from '../kernel/errors.ts';
import { discardable } from '../operate/change/change-deliveries.ts';
import { withCompany } from '../operate/search/with-company.ts';
import { releaseEntries, type ReleaseDeps, type ValidEntry } from '../operate/change/release-quarantine.ts';
import { plannedCalls, planReplay, type ReplayPlan } from './replay/replay-plan.ts';
import type { DeliveryCounts, Plans, UndecidedEvent } from '../store/plans.ts';
import type { DeliveryFilter, EventFilter, QuarantineFilter } from '../store/queries.ts';
import type { OvertakenItems, TrialRelease } from '../view/plan-view.ts';
import type { JobDeps } from './job-deps.ts';
import type { PlanRequest } from './plan-request.ts';
import { createPlanSigner, PLAN_MS, type PlanBounds, type PlanContent } from './signed-plan.ts';

/** The limit of entries that a plan tries against the contract. */
const MAX_TRIED = 2000;
/** Overtaken items that a plan names. */
const MAX_OVERTAKEN = 200;
/** Overtaken deliveries of each handler that the other numbers of a plan leave out one by one. */
const MAX_LEFT_OUT = 5000;
/** Entries that are read at a time. */
const PAGE = 200;

/** What a plan would do, in numbers: those of its action, null otherwise. */
export interface PlanFigures {
  /** Deliveries, entries, or calls of a replay; events that it sends to a URL. */
  readonly items: number;
  readonly deliveries: DeliveryCounts | null;
  readonly entries: TrialRelease | null;
  readonly replay: ReplayPlan | null;
  readonly overtaken: OvertakenItems;
  /** Deliveries that match and are left out. */
  readonly leftOut?: readonly string[];
  /** Of a release: the entries that become events, as far as they were tried, and the handlers that run for each. */
  readonly runs?: ReadonlyMap<string, readonly string[]>;
}

/** A plan to be shown, and to be started within ten minutes. */
export interface Plan extends PlanFigures {
  /** Signed; it starts the plan. */
  readonly token: string;
  readonly request: PlanRequest;
  readonly madeAt: number;
  readonly expiresAt: number;
}

/**
 * Counts what a request would change, and signs it. Nothing changes.
 *
 * @throws PortariaError `invalid-argument` for a request that selects nothing that can be changed
 */
export async function makePlan(deps: JobDeps, asked: PlanRequest, again = false): Promise<Plan> {
  requireValid(asked, deps);
  const bounds = await boundsOf(deps, asked);
  const request = await lookUp(deps, asked);
  const figures = await figuresOf(deps, request, bounds);
  const content: PlanContent = {
    id: randomBytes(9).toString('base64url'),
    request: ofOneHandler(asked, figures),
    bounds,
    items: figures.items,
    // The job considers what is overtaken, and leaves it alone.
    left: asked.action === 'retry' ? figures.overtaken.count : 0,
    again,
  };
  const token = (await createPlanSigner(deps.store)).sign(content);
  const times = { madeAt: bounds.at, expiresAt: bounds.at + PLAN_MS };
  return { ...figures, token, request: ofOneHandler(request, figures), ...times };
}

/** Looks up what belongs to the company of a request, once for all that is read of it. */
export async function lookUp({ store }: Pick<JobDeps, 'store'>, request: PlanRequest): Promise<PlanRequest> {
  if ('deliveries' in request)
    return { ...request, deliveries: await withCompany(store, request.deliveries) };
  if (!('events' in request)) return request;
  const filter = await withCompany(store, request.events.filter);
  return { ...request, events: { ...request.events, filter } };
}

/**
 * Adds the handler to a request that names only an error, where all its deliveries have the same one. The store then
 * reads one group in the order of its index, instead of sorting several.
 */
function ofOneHandler(request: PlanRequest, { deliveries, overtaken }: PlanFigures): PlanRequest {
  const [only, ...others] = deliveries?.handlers ?? [];
  if (!('deliveries' in request) || request.deliveries.error === undefined) return request;
  if (only === undefined || others.length + overtaken.count > 0) return request;
  return { ...request, deliveries: { ...request.deliveries, handler: only.handler } };
}

function requireValid(request: PlanRequest, { registry }: JobDeps): void {
  if (request.action === 'discard') {
    const { status = 'dead' } = request.deliveries;
    if (!discardable.includes(status))
      throw invalid(`status ${status} cannot be discarded: only pending and dead deliveries can`);
  }
  if (request.action === 'retry' && (request.deliveries.status ?? 'dead') !== 'dead')
    throw invalid(`status ${request.deliveries.status ?? ''} cannot be retried: only dead deliveries can`);
  if (request.action !== 'replay' || request.events.target !== null) return;
  const names = registry.definitions.map(({ name }) => name);
  const unknown = request.events.handlers.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw invalid(`there is no handler ${unknown.join(', ')}; the handlers are ${names.join(', ')}`);
  if (request.events.handlers.length === 0 && names.length > 0)
    throw invalid('handlers is empty: choose one at least');
}

function invalid(message: string): PortariaError {
  return new PortariaError('invalid-argument', message);
}

async function boundsOf({ store, clock }: JobDeps, { action }: PlanRequest): Promise<PlanBounds> {
  const at = clock.now();
  const attempt = await store.lastAttempt();
  const newest = { order: 'newest', limit: 1 } as const;
  const [last] =
    action === 'release'
      ? await store.quarantined({}, newest)
      : action === 'replay'
        ? await store.events({}, newest)
        : await store.deliveries({}, newest);
  return { at, last: last?.id ?? null, attempt };
}

/** The figures of a request, whose company is looked up; without bounds, of everything that it selects now. */
export async function figuresOf(
  deps: JobDeps,
  request: PlanRequest,
  bounds: PlanBounds | null,
): Promise<PlanFigures> {
  const { store } = deps;
  const none = { deliveries: null, entries: null, replay: null, overtaken: noOvertaken };
  switch (request.action) {
    case 'retry':
    case 'discard': {
      const filter = deliveriesOf(request, bounds);
      const { newestOnly, plainHandlers } = deps.registry;
      const leaving = request.action === 'retry' && !request.includeOvertaken ? newestOnly : [];
      const handlers = request.action === 'retry' ? plainHandlers : [];
      const found = await store.overtaken(filter, { handlers, limit: MAX_LEFT_OUT });
      const older = new Map(found.map(({ handler, ofHandler }) => [handler, ofHandler]));
      const left = new Map([...older].filter(([handler]) => leaving.includes(handler)));
      const leftOut = found.filter(({ handler }) => left.has(handler)).map(({ id }) => id);
      const counts = await store.countDeliveries({ ...filter, exceptIds: leftOut });
      const planned = counts.handlers.map((each) => {
        const more = Math.max(0, (left.get(each.handler) ?? 0) - MAX_LEFT_OUT);
        const deliveries = each.deliveries - more;
        return { ...each, deliveries, lanes: Math.min(each.lanes, deliveries) };
      });
      const items = sumOf(planned.map((each) => each.deliveries));
      const count = sumOf([...left.values()]);
      const shown = found.slice(0, MAX_OVERTAKEN);
      const overtaken = { count, run: sumOf([...older.values()]) - count, shown };
      return { ...none, items, deliveries: { ...counts, handlers: planned }, overtaken, leftOut };
    }
    case 'release': {
      const filter = entriesOf(request.entries, bounds);
      const tried = await tryRelease(deps, filter, request.includeOvertaken);
      return { ...none, items: await store.countEntries(filter), ...tried };
    }
    case 'repair':
      return { ...none, items: request.repair.subjects.length };
    case 'replay': {
      const replay = await planReplay(deps, {
        ...request.events,
        filter: eventsOf(request.events.filter, bounds),
      });
      const { target } = request.events;
      const items = target === null ? plannedCalls(replay) : replay.events;
      return { ...none, items, replay, overtaken: overtakenEvents(replay) };
    }
  }
}

const noOvertaken: OvertakenItems = { count: 0, run: 0, shown: [] };

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, each) => sum + each, 0);
}

function overtakenEvents({ handlers }: ReplayPlan): OvertakenItems {
  return {
    count: sumOf(handlers.map(({ overtaken }) => overtaken)),
    run: sumOf(handlers.map(({ older }) => older)),
    shown: handlers.flatMap(({ handler, firstOvertaken: id }) =>
      id === null ? [] : [{ id, handler, by: null }],
    ),
  };
}

/** The deliveries that a retry or discard selects: not those that die, or die again, after the plan was made. */
export function deliveriesOf(
  { deliveries }: Extract<PlanRequest, { readonly deliveries: unknown }>,
  bounds: PlanBounds | null,
): DeliveryFilter {
  const { status = 'dead' } = deliveries;
  return {
    ...deliveries,
    status,
    ...(bounds !== null && status === 'dead' && { endedUpTo: bounds.at, failedUpTo: bounds.attempt }),
    ...(bounds !== null && { upTo: bounds.last ?? 'd0' }),
  };
}

export function entriesOf(filter: QuarantineFilter, bounds: PlanBounds | null): QuarantineFilter {
  return { ...filter, status: 'held', ...(bounds !== null && { upTo: bounds.last ?? 'q0' }) };
}

export function eventsOf(filter: EventFilter, bounds: PlanBounds | null): EventFilter {
  return { ...filter, ...(bounds && (bounds.last === null ? { ids: [] } : { upTo: bounds.last })) };
}

/** Parses entries with the current contract, oldest first. */
export async function tryRelease(
  deps: Omit<ReleaseDeps, 'store'> & {
    readonly store: ReleaseDeps['store'] & Pick<Plans, 'predictVerdicts'>;
  },
  filter: QuarantineFilter,
  includeOvertaken = false,
) {
  let [tried, passing] = [0, 0];
  const left = new Map<string, TrialRelease['left'][number]>();
  const valid: ValidEntry[] = [];
  const leftOut: OvertakenItems['shown'][number][] = [];
  for (let after: string | undefined; tried < MAX_TRIED;) {
    const page = { order: 'oldest', limit: PAGE, ...(after !== undefined && { after }) } as const;
    const entries = await deps.store.quarantined(filter, page);
    const results = await releaseEntries(deps, entries, {
      dryRun: true,
      onValid: (entry) => valid.push(entry),
    });
    for (const { id, outcome, issues, message, overtaken } of results) {
      leftOut.push(...overtaken.map((each) => ({ id, ...each })));
      if (outcome === 'would-release') {
        passing += 1;
        continue;
      }
      const [first] = issues;
      const [path, problem] = [first?.path ?? '', first?.message ?? message ?? outcome];
      const known = left.get(`${path}\n${problem}`);
      left.set(`${path}\n${problem}`, { path, problem, entries: (known?.entries ?? 0) + 1 });
    }
    tried += entries.length;
    after = entries.at(-1)?.id;
    if (entries.length < PAGE) break;
  }
  const sorted = [...left.values()].sort((one, other) => other.entries - one.entries);
  const verdicts = { new: 0, stale: 0, ambiguous: 0, duplicate: 0, conflict: 0 };
  const overtakenOf = includeOvertaken ? new Map<string, never[]>() : Map.groupBy(leftOut, ({ id }) => id);
  const predicted = await deps.store.predictVerdicts(valid.map(({ event }) => undecided(event)));
  const runs = new Map<string, readonly string[]>();
  for (const [at, { id, routes }] of valid.entries()) {
    const verdict = predicted[at] ?? 'conflict';
    verdicts[verdict] += 1;
    if (verdict === 'duplicate' || verdict === 'conflict') continue;
    const wanted = routes.filter(({ stale }) => stale || verdict !== 'stale').map(({ handler }) => handler);
    const left = (overtakenOf.get(id) ?? []).map(({ handler }) => handler);
    runs.set(
      id,
      wanted.filter((handler) => !left.includes(handler)),
    );
  }
  return {
    runs,
    entries: { tried, passing, verdicts, left: sorted.slice(0, 10) },
    overtaken: {
      count: includeOvertaken ? 0 : leftOut.length,
      run: includeOvertaken ? leftOut.length : 0,
      shown: leftOut.slice(0, MAX_OVERTAKEN),
    },
  };
}

function undecided({ parsed, ...event }: IdentifiedEvent): UndecidedEvent {
  return { source: parsed.delivery.source, recognized: parsed.recognized, ...event };
}
