/** The decisions of a running job: how much to enqueue next, and when to stop. */
import type { JobEnding, JobRecord } from '../store/jobs.ts';

/** The limit of items without a result at a time: it bounds memory and lanes for any number of items. */
const MAX_OPEN = 1000;

/** The same limit in a stage without results yet: a handler that fails is noticed early. */
export const MIN_OPEN = 100;
/** Items of one transaction, and calls of a replay, which enqueues many in a few statements. */
const MAX_BATCH = 200;
const MAX_CALLS = 1000;
/** Results after which a stage is judged before it ends. */
const JUDGED_AFTER = 100;

/** What follows the first stages of a staged job; null is all that are left. */
const NEXT_SIZE: ReadonlyMap<number | null, number | null> = new Map([
  [1, 10],
  [10, 100],
  [100, null],
]);

export type NextStep =
  | { readonly do: 'act'; readonly items: number }
  /** Results are missing. */
  | { readonly do: 'wait' }
  | { readonly do: 'begin-stage'; readonly size: number | null }
  | { readonly do: 'stop'; readonly ending: JobEnding }
  | { readonly do: 'finish' };

export interface JobSituation {
  /** Items that were acted on and have no result yet. */
  readonly open: number;
  /** Whether there are no more items. */
  readonly exhausted: boolean;
  /** The limit of items without a result at a time; by default it grows with the results of the stage. */
  readonly window?: number;
}

type Considered = Pick<JobRecord, 'action' | 'planned' | 'acted' | 'leftAlone' | 'rate' | 'stopAt' | 'stage'>;

/**
 * Decides what a running job does next. It never acts on more items than were planned, or than its stage has. The
 * selection of a replay bounds it: effects of machines are among its calls, which no plan could know.
 */
export function nextStep(job: Considered, { open, exhausted, window }: JobSituation): NextStep {
  const { stage } = job;
  const isReplay = job.action === 'replay';
  const planned = isReplay ? Infinity : Math.max(0, job.planned - job.acted - job.leftAlone);
  const left = exhausted ? 0 : planned;
  if (left === 0 && open === 0) return { do: 'finish' };
  const stageLeft = stage.size === null ? Infinity : Math.max(0, stage.size - stage.acted);
  const stageOver = open === 0 && stageLeft === 0;
  const ending = judge({ ...stage, stopAt: job.stopAt, after: stageOver ? 1 : JUDGED_AFTER });
  if (ending !== null) return { do: 'stop', ending };
  if (stageOver) return { do: 'begin-stage', size: NEXT_SIZE.get(stage.size) ?? null };
  const room = (window ?? Math.min(MAX_OPEN, Math.max(MIN_OPEN, stage.ended))) - open;
  const items = Math.min(left, stageLeft, room, isReplay ? MAX_CALLS : MAX_BATCH, perStep(job.rate));
  return items > 0 ? { do: 'act', items } : { do: 'wait' };
}

/** Items that ended, how many of them failed, and what is too much. */
interface Judged {
  readonly failed: number;
  readonly ended: number;
  /** The share of failures above which the job stops; null never. */
  readonly stopAt: number | null;
  /** Results before which nothing is judged, 1 or more. */
  readonly after: number;
}

/** Says how many failed, when these are too many; null otherwise. */
export function judge({ failed, ended, stopAt, after }: Judged): JobEnding | null {
  if (stopAt === null || ended < after || failed / ended <= stopAt) return null;
  return { code: 'failures', failed, ended };
}

/** With a rate, a step takes a tenth of a second: the next waits as long. */
function perStep(rate: number | null): number {
  return rate === null ? Infinity : Math.max(1, Math.floor(rate / 10));
}
