/** Operators who make plans, and start them as jobs. */
import { makePlan, type Plan } from '../../../src/jobs/make-plan.ts';
import type { JobRecord } from '../../../src/store/jobs.ts';
import type { PlanRequest } from '../../../src/jobs/plan-request.ts';
import { startPlan, type StartedPlan } from '../../../src/jobs/start-plan.ts';
import { violated } from '../checker/violation.ts';
import type { Step } from '../story.ts';
import type { Receiver } from '../world/receiver.ts';
import type { World } from '../world/world.ts';
import type { Planned } from './planned.ts';
import { handlerNames } from './names.ts';
import { awaited, maybeBeside } from './operators.ts';

export async function plan(
  world: World,
  receiver: Receiver,
  step: Extract<Step, { readonly do: 'plan' }>,
): Promise<void> {
  const handler = handlerNames[step.handler % handlerNames.length] ?? 'watcher';
  if (!world.handlers.includes(handler)) return;
  const before = deadOf(world, handler);
  const url = step.action === 'send' ? `http://target.example/${String(world.plans.length)}` : null;
  const request: PlanRequest =
    step.action === 'replay' || step.action === 'send'
      ? {
          action: 'replay',
          events: {
            ...{ filter: {}, target: url },
            handlers: url === null ? [handler] : [],
            ifNotSucceeded: url === null && step.staged,
          },
        }
      : step.action === 'retry'
        ? { action: 'retry', deliveries: { handler }, includeOvertaken: true }
        : { action: 'discard', deliveries: { handler }, reason: 'simulated' };
  const making = (store: Receiver['store']): Promise<Plan> => makePlan({ ...receiver, store }, request);
  const made = await maybeBeside(world, receiver, { what: `plan of a ${step.action}`, ...step }, making);
  if (made === null) return;
  const what = whatIsPlanned(world, step.action, handler, before);
  const { planned, certain } = what;
  if (!isReplay(step.action) && (made.items > planned.size || made.items < certain.size))
    throw violated('plans', `a plan has ${made.items} items, expected ${planned.size}`);
  // Of a machine, effects are calls, too; a handler of the newest events gets none that is overtaken by then.
  const { upgrades } = world;
  const isConditional = step.action === 'replay' && (step.staged || handler !== 'watcher');
  world.plans.push({
    ...what,
    token: made.token,
    ...{ handler, url, upgrades },
    action: step.action,
    items: made.items,
    isConditional,
    ...madeNow(world, false),
  });
}

/** Milliseconds for which a plan may be started. */
const PLAN_MS = 600_000;

function madeNow({ time, jumps }: World, isAgain: boolean): Pick<Planned, 'madeAt' | 'jumps' | 'isAgain'> {
  return { madeAt: time.now(), jumps, isAgain };
}

const isReplay = (action: string): boolean => action === 'replay' || action === 'send';

/** The lives of the dead letters of a handler. */
function deadOf(world: World, handler: string): ReadonlyMap<string, number> {
  const dead = world.rows.openDeliveries().filter((row) => row.status === 'dead' && row.handler === handler);
  return new Map(dead.map(({ id }) => [id, livesOf(world, id)]));
}

function livesOf(world: World, id: string): number {
  return world.deliveries.byId(id)?.lives ?? 0;
}

/** @param before the dead letters before it was made: some may have died meanwhile */
function whatIsPlanned(
  world: World,
  action: string,
  handler: string,
  before: ReadonlyMap<string, number>,
): Pick<Planned, 'planned' | 'certain' | 'lives'> {
  if (isReplay(action)) {
    const planned = new Set(world.identity.events.map(({ number }) => String(number)));
    return { planned, certain: new Map(), lives: new Map() };
  }
  const after = deadOf(world, handler);
  const planned = new Set([...before.keys(), ...after.keys()]);
  const certain = new Map([...before].filter(([id, lives]) => after.get(id) === lives));
  const lives = new Map([...planned].map((id) => [id, livesOf(world, id)]));
  return { planned, certain, lives };
}

export async function start(
  world: World,
  receiver: Receiver,
  { which, beside }: { readonly which: number; readonly beside: boolean },
): Promise<void> {
  const found = world.plans[which % Math.max(1, world.plans.length)];
  if (found === undefined) return;
  const { action, token, handler, url } = found;
  // Of two jobs with one URL nobody could tell which one posts.
  if (url !== null && world.target.isInUse(url)) return;
  if (url !== null) world.target.use(url);
  for (const [id, lives] of found.lives) {
    const delivery = world.deliveries.byId(id);
    if (delivery?.lives === lives) delivery.permits.add(`job: ${action}`);
  }
  const before = deadOf(world, handler);
  const events = world.identity.events.length;
  const startedAt = world.time.now();
  const options = {
    staged: which % 3 !== 0,
    rate: null,
    stopAt: which % 2 === 0 ? 0.2 : null,
    requestedBy: 'op',
  };
  const starting = (store: Receiver['store']): Promise<StartedPlan> =>
    startPlan({ ...receiver, store }, token, options);
  const how = { what: `start of a ${action}`, beside };
  const started = await maybeBeside(world, receiver, how, starting);
  if (started === null) return;
  if (started.job !== null) {
    requireStartable(world, found, { before, events, startedAt });
    if (world.jobs.every(({ id }) => id !== started.job.id))
      // A plan that was made again starts though handlers take more by then.
      world.jobs.push({
        ...found,
        id: started.job.id,
        upgrades: found.isAgain ? found.upgrades : world.upgrades,
      });
    return;
  }
  if (url !== null) world.target.free(url);
  // What came since is in the plan of now.
  const { token: again, items } = started.plan;
  world.plans.push({
    ...found,
    ...whatIsPlanned(world, action, handler, before),
    token: again,
    items,
    ...madeNow(world, true),
  });
}

/** A plan is over after some minutes; one that has become too small is made again, once. */
function requireStartable(
  world: World,
  plan: Planned,
  { before, events, startedAt }: { before: ReadonlyMap<string, number>; events: number; startedAt: number },
): void {
  if (plan.jumps === world.jumps && startedAt - plan.madeAt >= PLAN_MS)
    throw violated('plans', `a plan was started ${startedAt - plan.madeAt} ms after it was made`);
  // Of a handler that the process is without, a replay calls nothing.
  if (plan.isAgain || (isReplay(plan.action) && plan.url === null && !world.handlers.includes(plan.handler)))
    return;
  const after = deadOf(world, plan.handler);
  const isMore = isReplay(plan.action)
    ? events > plan.planned.size && (plan.url !== null || plan.handler === 'watcher') && !plan.isConditional
    : [...before].some(([id, lives]) => plan.lives.get(id) !== lives && after.get(id) === lives);
  if (isMore) throw violated('plans', `a ${plan.action} was started, and there was more than planned`);
}

/** What was sent to a URL is what was planned; what the job counts as taken was taken. */
function requireSent(world: World, job: Planned, url: string, known: JobRecord): void {
  const { taken, sent } = world.target.at(url);
  const { succeeded, failed, skipped, state } = known;
  for (const number of sent)
    if (!job.planned.has(String(number)))
      throw violated('plans', `event ${number} was posted to ${url}, which is not in its plan`);
  if (succeeded > taken.size)
    throw violated('plans', `${succeeded} events are counted as posted to ${url}, it took ${taken.size}`);
  if (state !== 'finished') return;
  const ended = succeeded + failed + skipped;
  // Events whose bodies are pruned are left out, and are not planned.
  if (ended < job.items)
    throw violated('plans', `${ended} of ${job.items} events that were to be posted to ${url} have an end`);
  if (job.items - taken.size > failed + skipped)
    throw violated('plans', `${url} took ${taken.size} of ${job.items} events, ${failed} have failed`);
}

/** Once it has finished, a job has acted on what was planned, and on nothing else. */
export async function lookAtJob(world: World, receiver: Receiver, job: World['jobs'][number]): Promise<void> {
  const read = await world.time.until(receiver.store.job(job.id));
  const known = read !== null && 'value' in read ? read.value : null;
  if (known === null) return;
  world.reach(`${job.action} ${known.state}`);
  if (job.url !== null) {
    requireSent(world, job, job.url, known);
    return;
  }
  if (job.action !== 'replay') {
    const considered = known.acted + known.leftAlone;
    if (considered > job.items)
      throw violated('plans', `${job.id} considered ${considered} of ${job.items} items`);
    if (known.state !== 'finished') return;
    for (const row of world.rows.openDeliveries())
      if (row.status === 'dead' && job.certain.get(row.id) === livesOf(world, row.id))
        throw violated('plans', `${job.id} has finished and left ${row.id} alone`);
    return;
  }
  const rows = world.rows
    .deliveries()
    .filter((row) => `j${String(row.replay)}` === job.id && row.effect === '');
  for (const row of rows)
    if (!job.planned.has(String(row.event)) || row.handler !== job.handler)
      throw violated(
        'plans',
        `${row.id} of event ${row.event} to ${row.handler} is not in the plan of ${job.id}`,
      );
  const isPruned = world.rows.events().some(({ pruned }) => pruned !== null);
  if (known.state === 'finished' && !isPruned && rows.length < job.items && !job.isConditional)
    throw violated('plans', `${job.id} has ${rows.length} calls, planned were ${job.items}`);
}

export async function cancel(world: World, receiver: Receiver, which: number): Promise<void> {
  const job = world.jobs[which % Math.max(1, world.jobs.length)];
  if (job === undefined) return;
  const to = { from: ['running'], to: 'cancelled', ending: null, now: receiver.clock.now() } as const;
  await awaited(world, 'cancel', receiver.store.changeJob(job.id, to));
}
