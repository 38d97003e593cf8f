/** Jobs as rows: their numbers, their stages, and that an ended one acts no more. */
import { MACHINE } from '../actors/names.ts';
import type { World } from '../world/world.ts';
import { violated } from './violation.ts';

interface JobRow {
  readonly id: string;
  readonly action: string;
  readonly state: string;
  readonly planned: number;
  readonly staged: number;
  readonly stopAt: number | null;
  readonly stage: number;
  readonly stageSize: number | null;
  readonly stageActed: number;
  readonly stageEnded: number;
  readonly stageFailed: number;
  readonly acted: number;
  readonly leftAlone: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly endedAt: number | null;
  /** Of a replay. */
  readonly calls: number;
}

interface ItemsRow {
  readonly job: string;
  readonly stage: number;
  readonly outcome: string | null;
  readonly items: number;
}

/** Items of the first stages; the last one has all others. */
const SIZES = [1, 10, 100];

export function lookAtJobs({ rows, endedJobs, jobs: started, upgrades }: World): void {
  const { select } = rows;
  if (select === undefined) return;
  const items = select<ItemsRow>(`select 'j' || job_id as job, stage, outcome, count(*) as items
    from job_items group by job_id, stage, outcome`);
  const of = Map.groupBy(items, ({ job }) => job);
  const jobs =
    select<JobRow>(`select 'j' || id as id, action, state, planned, staged, stop_at as "stopAt", stage,
    stage_size as "stageSize", stage_acted as "stageActed", stage_ended as "stageEnded", stage_failed as "stageFailed", acted, left_alone as "leftAlone", succeeded, failed, skipped, ended_at as "endedAt",
    (select count(*) from deliveries where replay_id = jobs.id and effect = '') as calls
    from jobs order by jobs.id`);
  // What has succeeded, or was skipped, never changes any more.
  const [wrong] = select<{ job: string; item: number; outcome: string; status: string }>(`
    select 'j' || job_id as job, item, outcome, deliveries.status from job_items
    join jobs on jobs.id = job_id join deliveries on deliveries.id = item
    where action in ('retry', 'discard') and outcome in ('skipped', 'succeeded') and outcome <> deliveries.status`);
  if (wrong !== undefined)
    throw violated(
      'jobs',
      `${wrong.job} says that d${wrong.item} is ${wrong.outcome}, it is ${wrong.status}`,
    );
  for (const job of jobs) {
    const { id, state, endedAt, acted } = job;
    const isReplay = job.action === 'replay';
    if ((state === 'running') !== (endedAt === null))
      throw violated('jobs', `${id} is ${state} and ended at ${endedAt ?? 'no time'}`, job);
    requireStages(job, of.get(id) ?? []);
    const plan = started.find((one) => one.id === id);
    // Effects of a machine are calls, too, and so are those of handlers with other kinds.
    const isSure = plan?.url === null && plan.handler !== MACHINE && plan.upgrades === upgrades;
    if (isSure && job.calls > plan.items)
      throw violated('plans', `${id} has ${job.calls} calls, planned were ${plan.items}`, job);
    if (!isReplay) requireResults(job, of.get(id) ?? []);
    if (state === 'running') continue;
    const now = { state, acted: isReplay ? job.calls : acted };
    const before = endedJobs.get(id) ?? now;
    endedJobs.set(id, now);
    if (now.acted !== before.acted || state !== before.state)
      throw violated('jobs', `${id} was ${before.state} after ${before.acted}, and has acted on`, job);
  }
}

function sum(items: readonly ItemsRow[], is: (row: ItemsRow) => boolean = () => true): number {
  return items.filter(is).reduce((total, row) => total + row.items, 0);
}

function requireResults(job: JobRow, items: readonly ItemsRow[]): void {
  const { id, state, planned, acted, leftAlone } = job;
  for (const outcome of ['succeeded', 'failed', 'skipped'] as const) {
    const is = sum(items, (row) => row.outcome === outcome);
    if (job[outcome] !== is)
      throw violated('jobs', `${id} says ${job[outcome]} ${outcome}, ${is} items are`, job);
  }
  const open = sum(items, ({ outcome }) => outcome === null);
  const ofStage = items.filter(({ stage }) => stage === job.stage);
  const [ended, failed] = [
    ({ outcome }: ItemsRow) => outcome !== null,
    ({ outcome }: ItemsRow) => outcome === 'failed',
  ];
  const is = [sum(ofStage), sum(ofStage, ended), sum(ofStage, failed)].join();
  if ([job.stageActed, job.stageEnded, job.stageFailed].join() !== is)
    throw violated('jobs', `${id} counts its stage otherwise than as ${is}`, job);
  if (state === 'finished' && open > 0)
    throw violated('jobs', `${id} has finished, and ${open} items are open`, job);
  if (acted + leftAlone > planned)
    throw violated('jobs', `${id} considered ${acted + leftAlone} of ${planned} items`, job);
}

function requireStages(job: JobRow, items: readonly ItemsRow[]): void {
  const { id, staged, stage, stageSize, stopAt, action } = job;
  if (staged === 0) {
    if (stage !== 1 || stageSize !== null)
      throw violated('jobs', `${id} has stages, and nobody wanted any`, job);
    return;
  }
  const size = SIZES[stage - 1] ?? null;
  if (stageSize !== size)
    throw violated('jobs', `${id} has ${stageSize ?? 'all'} items in stage ${stage}`, job);
  if (action === 'replay') return;
  for (let number = 1; number <= stage; number += 1) {
    const ofStage = items.filter((row) => row.stage === number);
    const all = sum(ofStage);
    const failed = sum(ofStage, ({ outcome }) => outcome === 'failed');
    if (number < stage && ofStage.some(({ outcome }) => outcome === null))
      throw violated('jobs', `${id} is in stage ${stage}, and stage ${number} has not ended`, job);
    if (all > (SIZES[number - 1] ?? Infinity))
      throw violated('jobs', `${id} acted on ${all} items in stage ${number}`, job);
    if (number < stage && stopAt !== null && failed / all > stopAt)
      throw violated('jobs', `${id} goes on after ${failed} of ${all} failures in stage ${number}`, job);
  }
}
