/** What failed for good: deliveries, and jobs that ended early. */
import { errorKind } from '../../kernel/text/error-kind.ts';
import { say } from '../../kernel/text/sentences.ts';
import { HOUR_MS } from '../../kernel/time/durations.ts';
import type { FailureGroup } from '../../store/plans.ts';
import { instantText } from '../../view/instant-text.ts';
import { jobView, leftOut } from '../../view/job-view.ts';
import { shortError } from '../../view/payload/unmasking.ts';
import { failuresAddress } from '../components/event-cells.tsx';
import { pauseFormAddress } from '../components/pauses.tsx';
import { failsOn, findOvertaken, MAX_SORTED } from '../components/groups.tsx';
import { problem, cut, seenOf, type Problem, type Findings, type Looked } from './problem.ts';

/** Milliseconds for which a job that ended early is a problem. */
const SHIFT_MS = 12 * HOUR_MS;

/** While a handler goes on failing, a pause comes before a retry. */
export async function deadLetters(
  { page, store, registry, statistics, dispatch, paused }: Looked,
  groups: readonly FailureGroup[],
): Promise<readonly Problem[]> {
  const { words, now } = page;
  const moment = { paused, open: dispatch.open_breakers, now, overtaken: new Map() };
  const seemOn = groups.some((group) => failsOn(group, moment));
  const newest = seemOn
    ? await store.deliveries({ status: 'dead' }, { order: 'newest', limit: MAX_SORTED })
    : [];
  const overtaken = seemOn ? await findOvertaken({ store, registry }, newest) : moment.overtaken;
  return statistics.by_handler
    .filter(({ dead }) => dead > 0)
    .map(({ handler, dead }) => {
      const own = groups.filter((group) => group.handler === handler && group.dead > 0);
      const [most] = own.toSorted((one, other) => other.dead - one.dead);
      const found = problem('bad', words.overview.dead(dead, handler), failuresAddress(handler));
      if (most === undefined) return found;
      const error = shortError(most.sample.lastError ?? '');
      const isOn = own.some((group) => failsOn(group, { ...moment, overtaken }));
      const seen = seenOf(page, {
        firstAt: Math.min(...own.map(({ firstAt }) => firstAt)),
        lastAt: Math.max(...own.map(({ lastAt }) => lastAt)),
        isOn,
      });
      return {
        ...found,
        error:
          most.dead === 1 || errorKind(error) === error ? cut(error) : words.problems.example(cut(error)),
        note: own.length === 1 ? seen : `${seen} ${words.problems.partOf(most.dead, dead)}`,
        ...(isOn && {
          before: { href: pauseFormAddress(handler), action: words.pauses.pause },
        }),
      };
    });
}

/** Jobs that ended before all their items had begun, for as long as a shift lasts: a colleague may not know of them. */
export function halfDone({ page: { words, format, now }, jobs }: Findings): readonly Problem[] {
  return jobs.flatMap((job) => {
    const { acted, left_alone: leftAlone, planned } = jobView(job);
    const left = planned - acted - leftAlone;
    const { ending, endedAt } = job;
    if (left <= 0 || ending === null || endedAt === null || now - endedAt > SHIFT_MS) return [];
    const when = format.relative(instantText(endedAt), now);
    const sentence = words.jobs.halfDone(
      job.id,
      words.jobs.deed(job.action, job.planned - leftOut(job), job.planned),
      {
        ...{ left, when, why: say(words.jobs.endings, ending) },
      },
    );
    return [problem('warn', sentence, `/jobs/${job.id}`)];
  });
}
