/** Reads the items of a job with what became of them. */
import type { ItemOutcome, JobRecord, Jobs } from '../store/jobs.ts';
import type { Plans } from '../store/plans.ts';
import type { DeliveryRecord, DeliveryStatus, Queries } from '../store/queries.ts';
import { jobItemView, type ItemResult, type JobItem, type JobItemView } from '../view/job-item-view.ts';
import type { Unmasking } from '../view/payload/unmasking.ts';
import { findJob } from './change-job.ts';

type ItemStore = Pick<Jobs, 'job' | 'jobItems'> &
  Pick<Plans, 'overtaken'> &
  Pick<Queries, 'deliveries' | 'attempts' | 'quarantined'>;
type ItemPage = Parameters<Jobs['jobs']>[0];

/** The most planned items that a job keeps by name. */
export const MAX_NAMED = 500;
/** Deliveries of the events of a page. */
const MAX_DELIVERIES = 1000;

const outcomes: Readonly<Partial<Record<ItemResult, ItemOutcome | null>>> = {
  ...{ succeeded: 'succeeded', failed: 'failed', skipped: 'skipped', waiting: null },
};

/**
 * Lists the items of a job with a result, in order. What was not acted on is known where the job has the names of
 * what was planned.
 *
 * @throws PortariaError `not-found`
 */
export async function jobItems(
  store: ItemStore,
  id: string,
  { result, unmask, ...page }: ItemPage & Unmasking & { readonly result: ItemResult },
): Promise<readonly JobItemView[]> {
  const job = await findJob(store, id);
  const found = await (isReplayToHandlers(job)
    ? replayed(store, job, result, page)
    : named(store, job, result, page));
  const attempts = await store.attempts(found.flatMap(({ delivery }) => delivery?.id ?? []));
  const own = Map.groupBy(
    attempts.filter(({ endedAt }) => endedAt >= job.createdAt),
    ({ deliveryId }) => deliveryId,
  );
  const left = job.action === 'retry' && result === 'left_alone' ? found : [];
  const handlers = [...new Set(left.flatMap(({ delivery }) => delivery?.handler ?? []))];
  const among = { handlers, limit: left.length };
  const later = new Map(
    (await store.overtaken({ ids: left.map((item) => item.id) }, among)).map((each) => [each.id, each.by]),
  );
  return found.map((item) => {
    const attempts = own.get(item.delivery?.id ?? '') ?? [];
    const overtakenBy = later.get(item.id) ?? null;
    return jobItemView({ ...item, attempts, overtakenBy }, result, job, { unmask });
  });
}

type FoundItem = Omit<JobItem, 'attempts' | 'overtakenBy'>;

const isReplayToHandlers = ({ selection }: JobRecord): boolean =>
  'events' in selection && selection.events.target === null;

const statuses: Readonly<Record<ItemResult, readonly DeliveryStatus[]>> = {
  ...{ succeeded: ['succeeded'], failed: ['dead'], skipped: ['skipped'], waiting: ['running', 'pending'] },
  ...{ left_alone: [], not_begun: [] },
};

async function replayed(
  store: ItemStore,
  { id }: JobRecord,
  result: ItemResult,
  page: ItemPage,
): Promise<readonly FoundItem[]> {
  const found: DeliveryRecord[] = [];
  for (const status of statuses[result])
    found.push(...(await store.deliveries({ replay: id, status }, { order: 'oldest', ...page })));
  return found
    .sort((one, other) => numberOf(one.id) - numberOf(other.id))
    .slice(0, page.limit)
    .map((delivery) => ({ id: delivery.id, eventId: delivery.eventId, delivery, entry: undefined }));
}

async function named(
  store: ItemStore,
  job: JobRecord,
  result: ItemResult,
  page: ItemPage,
): Promise<readonly FoundItem[]> {
  const { action } = job;
  const outcome = outcomes[result];
  const ids =
    outcome === undefined
      ? await notActedOn(store, job, result, page)
      : await store.jobItems(job.id, { ...page, outcome });
  const all = { order: 'oldest', limit: MAX_DELIVERIES } as const;
  if (action === 'retry' || action === 'discard') {
    const byId = new Map((await store.deliveries({ ids }, all)).map((each) => [each.id, each]));
    return ids.map((id) => {
      const delivery = byId.get(id);
      return { id, eventId: delivery?.eventId ?? null, delivery, entry: undefined };
    });
  }
  const entries = action === 'release' ? await store.quarantined({ ids }, all) : [];
  const items = ids.map((id) => {
    const entry = entries.find((each) => each.id === id);
    return { id, entry, eventId: action === 'release' ? (entry?.eventId ?? null) : id };
  });
  // What goes to a URL has no delivery.
  const eventIds = action === 'replay' ? [] : items.flatMap(({ eventId }) => eventId ?? []);
  const deliveries = await store.deliveries({ eventIds }, all);
  return items.map((item) => {
    const own = deliveries.filter(({ eventId }) => eventId === item.eventId);
    // What failed says more of the item than its other deliveries.
    return { ...item, delivery: own.find(({ lastError }) => lastError !== null) ?? own[0] };
  });
}

/** The planned items that a job has passed without acting on them, or those that it has not come to. */
async function notActedOn(
  store: ItemStore,
  { id, selection, state, cursor }: JobRecord,
  result: ItemResult,
  { limit, after }: ItemPage,
): Promise<readonly string[]> {
  const planned = ('planned' in selection && selection.planned) || [];
  const acted = new Set(await store.jobItems(id, { limit: MAX_NAMED }));
  const passed = state === 'finished' ? Infinity : numberOf(cursor ?? '');
  return planned
    .filter((item) => !acted.has(item) && numberOf(item) <= passed === (result === 'left_alone'))
    .filter((item) => numberOf(item) > numberOf(after ?? ''))
    .slice(0, limit);
}

/** The number that an id ends in, 0 for none. */
function numberOf(id: string): number {
  return Number(/\d+$/u.exec(id)?.[0] ?? 0);
}
