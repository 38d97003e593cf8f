/** Jobs, as command line, API and console show them. */
import { maskText } from '../kernel/text/scrub.ts';
import { say } from '../kernel/text/sentences.ts';
import { z } from 'zod';
import { subjectName, type Subject } from '../event/subject.ts';
import {
  jobEndings,
  type JobEnding,
  type JobRecord,
  type JobSelection,
  type StageResults,
} from '../store/jobs.ts';
import type { ReplayRequest } from '../store/replays.ts';
import { instantText, instantTextOrNull } from './instant-text.ts';

const count = z.int().min(0);

export const jobActionSchema = z
  .enum(['retry', 'discard', 'release', 'replay', 'repair'])
  .describe('What it does with each item.');

export const jobSchema = z
  .object({
    id: z.string().describe('`j` and a number.'),
    action: jobActionSchema,
    state: z
      .enum(['running', 'stopped', 'cancelled', 'finished'])
      .describe(
        '`running` while a serving process works on it, or will; `stopped` because too many of a stage failed; ' +
          '`cancelled` by an operator. Both can be resumed.',
      ),
    message: z.string().nullable().describe('Why it stopped, or who cancelled it.'),
    ending: z
      .object({ code: z.enum(Object.keys(jobEndings) as JobEnding['code'][]).describe('Which of them.') })
      .catchall(z.union([z.string(), z.number()]))
      .nullable()
      .describe('The same as a code with its values.'),
    requested_by: z.string().describe('Who started it.'),
    reason: z.string().nullable().describe('Why, of a discard, with likely personal data replaced.'),
    created_at: z.iso.datetime().describe('When it was started.'),
    ended_at: z.iso.datetime().nullable().describe('When it ended.'),
    selection: z.record(z.string(), z.string()).describe('The conditions on its items.'),
    planned: count.describe('Items that match.'),
    left_out: count.describe('Of those, what the plan left out, because it was overtaken.'),
    staged: z.boolean().describe('Whether it begins with 1, 10 and 100 items and waits for their results.'),
    rate: z.number().nullable().describe('Items in a second at most.'),
    stop_at: z
      .number()
      .nullable()
      .describe('The share of failures of a stage, 0 to 1, above which it stops.'),
    stage: z
      .object({
        number: z.int().min(1).describe('Counts from 1.'),
        size: z.int().min(1).nullable().describe('Items at most; null for all that are left.'),
        acted: count.describe('Items acted on.'),
        ended: count.describe('Items with a result.'),
        failed: count.describe('Of those, failed.'),
      })
      .describe('The stage that it is at, or ended at.'),
    acted: count.describe('Items acted on.'),
    left_alone: count.describe(
      'Items on which it did not act: they had changed since the plan, or were overtaken. Of a finished job, all others.',
    ),
    waiting: count.describe('Items acted on that have no result yet.'),
    succeeded: count.describe('Items that succeeded.'),
    failed: count.describe('Items whose first attempt failed, or that failed for good.'),
    skipped: count.describe('Items that were skipped; of a release, events for which no handler ran.'),
  })
  .meta({ id: 'Job', description: 'A plan that an operator started: many items, in stages.' });

export const jobDetailSchema = jobSchema
  .extend({
    stages: z
      .array(
        z.object({
          stage: z.int().min(1).describe('Counts from 1.'),
          acted: count.describe('Items acted on.'),
          succeeded: count.describe('Items that succeeded.'),
          failed: count.describe('Items that failed.'),
          skipped: count.describe('Items that were skipped.'),
        }),
      )
      .describe('Its stages, those before it was resumed, too; none of a replay.'),
  })
  .meta({ id: 'JobDetail', description: 'A job with its stages.' });

type Said<Shown> = Omit<Shown, 'ending'> & { readonly ending: JobEnding | null };
export type JobView = Said<z.infer<typeof jobSchema>>;
export type JobDetailView = Said<z.infer<typeof jobDetailSchema>>;

export function jobDetailView(job: JobRecord, stages: readonly StageResults[]): JobDetailView {
  return { ...jobView(job), stages: stages.map((each) => ({ ...each })) };
}

export function jobView(job: JobRecord): JobView {
  const { stage, acted, succeeded, failed, skipped } = job;
  // Effects of machines are calls that no plan could know.
  const planned = Math.max(job.planned, acted);
  return {
    id: job.id,
    action: job.action,
    state: job.state,
    message: job.ending && say(jobEndings, job.ending),
    ending: job.ending,
    requested_by: job.requestedBy,
    reason: job.reason === null ? null : maskText(job.reason),
    created_at: instantText(job.createdAt),
    ended_at: instantTextOrNull(job.endedAt),
    selection: conditionsOf(job.selection),
    planned,
    left_out: leftOut(job),
    staged: job.staged,
    rate: job.rate,
    stop_at: job.stopAt,
    stage: { ...stage },
    acted,
    // What no longer matched was not even looked at.
    left_alone: job.state === 'finished' ? planned - acted : Math.max(job.leftAlone, leftOut(job)),
    waiting: acted - succeeded - failed - skipped,
    succeeded,
    failed,
    skipped,
  };
}

/** What a plan left out is part of the job, which leaves it alone. */
export const leftOut = ({ selection }: JobRecord): number => ('left' in selection && selection.left) || 0;

/** What the audit tells of a plan that was started: the action, how many, and what selects them. */
export function jobDetails(job: JobRecord): Readonly<Record<string, string>> {
  const { id, action, planned, selection } = job;
  const left = leftOut(job);
  return {
    ...conditionsOf(selection),
    ...{ plan: action, items: String(planned - left), job: id },
    ...(left > 0 && { left_alone: String(left) }),
  };
}

/** What a plan adds to the conditions of an operator. */
const BOUNDS: ReadonlySet<string> = new Set(['endedUpTo', 'failedUpTo', 'upTo', 'subjects', 'partial']);

/** The conditions of a selection as texts, without the bounds that the plan set. */
export function conditionsOf(selection: JobSelection): Record<string, string> {
  if ('events' in selection) return replayConditions(selection.events);
  if ('repair' in selection) return textsOf({ ...selection.repair, subjects: undefined });
  return textsOf('deliveries' in selection ? selection.deliveries : selection.entries);
}

function textsOf(filter: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filter)
      .filter(([name]) => !BOUNDS.has(name))
      .map(([name, value]) => [name === 'eventId' ? 'event_id' : name, textOf(value)]),
  );
}

/** Of a URL, only the host: the path or query may contain a token. */
function replayConditions({
  filter,
  handlers,
  ifNotSucceeded,
  target,
}: ReplayRequest): Record<string, string> {
  const { kinds, since, until, ...others } = filter;
  return {
    ...textsOf(others),
    ...(kinds && { kinds: kinds.join(', ') }),
    ...(since !== undefined && { since: instantText(since) }),
    ...(until !== undefined && { until: instantText(until) }),
    ...(handlers.length > 0 && { handlers: handlers.join(', ') }),
    ...(ifNotSucceeded && { if_not_succeeded: 'true' }),
    ...(target !== null && { to: new URL(target).host }),
  };
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `${String(value.length)} chosen`;
  return typeof value === 'object' && value !== null ? subjectName(value as Subject) : String(value);
}
