/** Jobs as a store keeps them: plans of many changes, and replays, which run in stages. */
import type { Said, Sentences } from '../kernel/text/sentences.ts';
import type { DeliveryFilter, QuarantineFilter } from './queries.ts';
import type { ReplayRequest } from './replays.ts';

/** What a job does with each of its items. */
export type JobAction = 'retry' | 'discard' | 'release' | 'replay' | 'repair';

/**
 * - `running`: the serving process works on it, or will once it runs.
 * - `stopped`: too many of a stage failed. It can be resumed.
 * - `cancelled`: an operator ended it. It can be resumed.
 * - `finished`: every item was acted on, and its result is known.
 */
export type JobState = 'running' | 'stopped' | 'cancelled' | 'finished';

/** Why a job ended early, in English. */
export const jobEndings = {
  cancelled: ({ by }: { by: string }) => `cancelled by ${by}`,
  failures: (of: { failed: number; ended: number }) => `${String(of.failed)} of ${String(of.ended)} failed`,
  /** What the target of the events said. */
  'target-down': ({ reason }: { reason: string }) => reason,
  'no-handler': ({ names }: { names: string }) => `this process has no handler ${names}`,
} satisfies Sentences;

export type JobEnding = Said<typeof jobEndings>;

/** Of retries, discards and releases. */
interface PlannedSelection {
  /** Whether a retry or release runs what handlers have overtaken with a later event, too. */
  readonly includeOvertaken?: boolean;
  /** The ids of the items, where they are few: what became of those that no longer match is shown. */
  readonly planned?: readonly string[];
  /** Items that match and that the plan left out: the job leaves them alone. A job of an earlier version does not say. */
  readonly left?: number;
}

/** The items of a job. Times and ids bound them, so that nothing that comes later belongs to it. */
export type JobSelection =
  | ({ readonly deliveries: DeliveryFilter } & PlannedSelection)
  | ({ readonly entries: QuarantineFilter } & PlannedSelection)
  | { readonly events: ReplayRequest }
  | { readonly repair: RepairSelection };

/** Subjects to bring to what the provider's records say. */
export interface RepairSelection {
  readonly source: string;
  /** `family:id`. */
  readonly subjects: readonly string[];
  /** Who hears of it. */
  readonly handlers: 'none' | 'machines' | 'all';
}

/** How a job goes about its items. */
export interface JobPace {
  /** Whether it begins with 1, 10 and 100 items, and waits for their results. */
  readonly staged: boolean;
  /** Items in a second; null without a limit. */
  readonly rate: number | null;
  /** The share of failures of a stage, 0 to 1, above which it stops; null never. */
  readonly stopAt: number | null;
}

export interface NewJob extends JobPace {
  /** The id of the plan: it starts one job only. */
  readonly plan: string;
  readonly action: JobAction;
  readonly selection: JobSelection;
  /** The number of items. No more are acted on, except by a replay: effects of machines are calls, too. */
  readonly planned: number;
  readonly reason: string | null;
  readonly requestedBy: string;
}

/** A plan that an operator started. */
export interface JobRecord extends NewJob {
  /** `j` and a number. The deliveries that a replay enqueues have it. */
  readonly id: string;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly state: JobState;
  readonly ending: JobEnding | null;
  readonly stage: JobStage;
  /** The last item that was considered; null before the first. Of a replay, the number of an event. */
  readonly cursor: string | null;
  /** Items that were acted on, and those left as they were because they had changed. */
  readonly acted: number;
  readonly leftAlone: number;
  /** Items with a result. An item that failed may be tried again by its handler's policy. */
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A part of a job that ends before the next begins. */
export interface JobStage {
  /** Counts from 1. */
  readonly number: number;
  /** Items at most; null for all that are left. */
  readonly size: number | null;
  readonly acted: number;
  readonly ended: number;
  readonly failed: number;
}

/** The result of an item. */
export type ItemOutcome = 'succeeded' | 'failed' | 'skipped';

/** Items of a stage that were acted on, and those of them that have a result. */
export interface StageResults extends Readonly<Record<ItemOutcome, number>> {
  readonly stage: number;
  readonly acted: number;
}

/** What a step of a job does, in one transaction. */
export interface JobStep {
  /** The next items in order. */
  readonly items: readonly string[];
  /** Those of them that are left alone, because they are overtaken. */
  readonly left?: readonly string[];
  readonly now: number;
  /**
   * Whether the items were acted on outside: entries that were released. Those that are still held are left
   * alone. Otherwise the store retries or discards the deliveries itself.
   */
  readonly released?: boolean;
  /** Of a repair, whose items are `r` and a number from 1: the ids of the events that some of them became. */
  readonly repaired?: readonly string[];
}

/** A change of a job's state. It happens only from one of the states. */
export interface JobChange {
  readonly from: readonly JobState[];
  readonly to: JobState;
  readonly ending: JobEnding | null;
  readonly now: number;
  /** Begins a stage of at most so many items; null for all. */
  readonly stageSize?: number | null;
  /** Nothing changes in another stage than this: another process has begun it meanwhile. */
  readonly ofStage?: number;
}

/** Stores plans that were started: retries, discards, releases and replays of many items. */
export interface Jobs {
  /** Stores a job. Returns the known one when its plan was started before. */
  createJob(job: NewJob, now: number): Promise<JobRecord>;
  job(id: string): Promise<JobRecord | null>;
  /** The newest first. */
  jobs(page: { readonly limit: number; readonly after?: string }): Promise<readonly JobRecord[]>;
  /** The ids of the jobs in state `running`. */
  runningJobs(): Promise<readonly string[]>;
  /**
   * Acts on the next items of a running job and moves its cursor, in one transaction: an item is acted on once,
   * however often the process ends. Does nothing unless the job runs.
   */
  stepJob(id: string, step: JobStep): Promise<void>;
  /**
   * Records the results of items that have ended. A delivery that will be tried again after a failed attempt
   * counts as failed, except in a replay. Returns the job, and how many items have no result yet.
   *
   * @throws PortariaError `not-found`
   */
  recordJobResults(id: string): Promise<{ readonly job: JobRecord; readonly open: number }>;
  /** Returns whether the job was in one of the states, and in the stage if one is given, and has changed. */
  changeJob(id: string, change: JobChange): Promise<boolean>;
  /**
   * Removes jobs that ended before the time, finished or not, with their items.
   *
   * @param limit the most rows of items that are removed at once, and of jobs
   * @returns the items and jobs that were removed: fewer than the limit when none is left
   */
  pruneJobs(before: number, limit: number): Promise<number>;
  /**
   * Ids of items that were acted on, in order, with this result if one is given; null is none yet. Of a replay to a URL
   * they are the events that failed, of a repair events. A replay to handlers has none.
   */
  jobItems(
    id: string,
    page: { readonly outcome?: ItemOutcome | null; readonly limit: number; readonly after?: string },
  ): Promise<readonly string[]>;
  /** The results of the items by stage. A replay has none. */
  jobStages(id: string): Promise<readonly StageResults[]>;
}
