/** Finds the job that has replayed some of what a plan would replay again. */
import { subjectName } from '../../event/subject.ts';
import type { JobRecord, Jobs } from '../../store/jobs.ts';
import type { PlanRequest } from '../plan-request.ts';

/** Jobs that are looked at: the newest. */
const MAX_JOBS = 50;

/** The newest replay of an overlapping time to one of the same handlers; its other conditions exclude none of these. */
export async function findEarlierReplay(
  store: Pick<Jobs, 'jobs'>,
  request: PlanRequest,
): Promise<JobRecord | undefined> {
  if (request.action !== 'replay') return undefined;
  const { filter, handlers } = request.events;
  const jobs = await store.jobs({ limit: MAX_JOBS });
  return jobs.find(({ selection, acted, createdAt }) => {
    if (!('events' in selection) || acted === 0) return false;
    const { filter: before, handlers: of } = selection.events;
    return (
      of.some((name) => handlers.includes(name)) &&
      (filter.since ?? 0) < Math.min(before.until ?? createdAt, createdAt) &&
      (before.since ?? 0) < (filter.until ?? Infinity) &&
      mayMeet(filter.source, before.source, Object.is) &&
      mayMeet(filter.company, before.company, Object.is) &&
      mayMeet(filter.subject, before.subject, (one, other) => subjectName(one) === subjectName(other)) &&
      mayMeet(filter.kinds, before.kinds, (some, others) =>
        some.some((one) =>
          others.some((other) => one.startsWith(stem(other)) || other.startsWith(stem(one))),
        ),
      )
    );
  });
}

/** Whether two conditions may select the same: one that is not given selects all. */
function mayMeet<Value>(
  one: Value | undefined,
  other: Value | undefined,
  meets: (one: Value, other: Value) => boolean,
): boolean {
  return one === undefined || other === undefined || meets(one, other);
}

/** What every kind of a pattern begins with. */
const stem = (pattern: string): string => pattern.split('*')[0] ?? '';
