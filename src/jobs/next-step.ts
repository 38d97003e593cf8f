/** The decisions of a running job: how much to enqueue next, and when to stop. */
import type { JobRecord } from '../store/jobs.ts';

/** Items without a result at a time, at most: memory and lanes stay bounded for any number of items. */
const MAX_OPEN = 1000;
/** Items without a result at a time in a stage without results yet: a handler that fails is noticed early. */
const MIN_OPEN = 100;
/** Items of one transaction. */
const MAX_BATCH = 200;
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
  | { readonly do: 'stop'; readonly message: string }
  | { readonly do: 'finish' };

export interface JobSituation {
  /** Items that were acted on and have no result yet. */
  readonly open: number;
  /** Whether there are no more items. */
  readonly exhausted: boolean;
}

type Considered = Pick<JobRecord, 'planned' | 'acted' | 'leftAlone' | 'rate' | 'stopAt' | 'stage'>;

/** Decides what a running job does next. It never acts on more items than were planned, or than its stage has. */
export function nextStep(job: Considered, { open, exhausted }: JobSituation): NextStep {
  const { stage } = job;
  const left = exhausted ? 0 : Math.max(0, job.planned - job.acted - job.leftAlone);
  if (left === 0 && open === 0) return { do: 'finish' };
  const stageLeft = stage.size === null ? Infinity : Math.max(0, stage.size - stage.acted);
  const stageOver = open === 0 && stageLeft === 0;
  const message = judge({ ...stage, stopAt: job.stopAt, after: stageOver ? 1 : JUDGED_AFTER });
  if (message !== null) return { do: 'stop', message };
  if (stageOver) return { do: 'begin-stage', size: NEXT_SIZE.get(stage.size) ?? null };
  const room = Math.min(MAX_OPEN, Math.max(MIN_OPEN, stage.ended)) - open;
  const items = Math.min(left, stageLeft, room, MAX_BATCH, perStep(job.rate));
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
export function judge({ failed, ended, stopAt, after }: Judged): string | null {
  if (stopAt === null || ended < after || failed / ended <= stopAt) return null;
  return `${String(failed)} of ${String(ended)} failed`;
}

/** With a rate, a step takes a tenth of a second: the next waits as long. */
function perStep(rate: number | null): number {
  return rate === null ? Infinity : Math.max(1, Math.floor(rate / 10));
}
