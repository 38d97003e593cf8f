/** Retries and discards deliveries that ids or a filter select, page by page. */
import type { Clock } from '../../kernel/time/clock.ts';
import { pause } from '../../kernel/time/pause.ts';
import type { LaneQueue } from '../../store/lane-queue.ts';
import type { Plans } from '../../store/plans.ts';
import type { DeliveryFilter, DeliveryRecord, DeliveryStatus, Queries } from '../../store/queries.ts';
import type { DiscardView, RetryView } from '../../view/operation-views.ts';
import { eachPage } from '../../kernel/row-pages.ts';

/** Deliveries that one transaction changes: it blocks other writers. */
const PAGE = 500;
/** Milliseconds between pages, about as long as a page takes: other processes write meanwhile. */
const PAUSE_MS = 20;

type DeliveryStore = Pick<Queries, 'deliveries'>;

export interface RetryRequest {
  /** Selects deliveries by `ids` or any other conditions. Only dead ones are retried. */
  readonly filter: DeliveryFilter;
  readonly clock: Clock;
  /** Handlers whose overtaken deliveries are left alone: they handle a later event of the subject first. */
  readonly newestOnly: readonly string[];
  /** Report what would be retried, without changes. */
  readonly dryRun: boolean;
}

/**
 * Makes dead deliveries pending with zero attempts, at the head of their lanes.
 * Named deliveries that are not dead are reported and not changed. Each page is a
 * transaction: after an error the earlier pages are retried, and calling again
 * retries the rest.
 */
export async function retryDeliveries(
  store: DeliveryStore & Pick<LaneQueue, 'retryDeliveries'> & Pick<Plans, 'overtaken'>,
  { filter, clock, newestOnly, dryRun }: RetryRequest,
): Promise<RetryView> {
  const selection = { filter, statuses: ['dead'], clock } as const;
  const overtaken = new Map<string, string>();
  const { changed, left } = await changeDeliveries(store, selection, async (dead) => {
    for (const { id, by } of await store.overtaken({ ids: dead }, { handlers: newestOnly, limit: PAGE }))
      overtaken.set(id, by);
    const wanted = dead.filter((id) => !overtaken.has(id));
    return dryRun ? wanted : store.retryDeliveries(wanted, clock.now());
  });
  return {
    retried: changed,
    left_alone: left.map((each) => ({ ...each, overtaken_by: overtaken.get(each.id) })),
  };
}

/** The statuses of deliveries that can be discarded: the others run, or are over. */
export const discardable: readonly DeliveryStatus[] = ['pending', 'dead'];

export interface DiscardRequest {
  /** Selects deliveries by `ids` or any other conditions. Only pending and dead ones are discarded. */
  readonly filter: DeliveryFilter;
  readonly clock: Clock;
  /** Who discards them, and why. Stored with each delivery. */
  readonly by: string;
  readonly why: string;
}

/**
 * Ends pending and dead deliveries as skipped, also those of handlers that no longer exist, and lets their lanes
 * go on. Named deliveries in another status are reported and not changed. Each page is a transaction.
 */
export async function discardDeliveries(
  store: DeliveryStore & Pick<LaneQueue, 'discardDeliveries'>,
  { filter, clock, by, why }: DiscardRequest,
): Promise<DiscardView> {
  const at = new Date(clock.now()).toISOString();
  const reason = `discarded by ${by} at ${at}: ${why}`;
  const selection = { filter, statuses: discardable, clock };
  const { changed, left } = await changeDeliveries(store, selection, (ids) =>
    store.discardDeliveries(ids, { reason, now: clock.now() }),
  );
  return { discarded: changed, left_alone: left };
}

interface DeliveryPage {
  /** Ids to report on. */
  readonly ids: readonly string[];
  readonly found: readonly DeliveryRecord[];
}

/** What happened to the deliveries of a selection. */
interface ChangedDeliveries {
  readonly changed: string[];
  /** Deliveries in another status; null when there is no such delivery. */
  readonly left: { readonly id: string; readonly status: DeliveryStatus | null }[];
}

/**
 * Changes the selected deliveries that are in one of the statuses, page by page. Without ids only those are
 * read; with ids each is reported. After an error the earlier pages are changed.
 *
 * @param change returns the ids that it changed
 */
async function changeDeliveries(
  store: DeliveryStore,
  selection: {
    readonly filter: DeliveryFilter;
    readonly statuses: readonly DeliveryStatus[];
    readonly clock: Clock;
  },
  change: (ids: readonly string[]) => Promise<readonly string[]>,
): Promise<ChangedDeliveries> {
  const { filter, statuses, clock } = selection;
  const changed: string[] = [];
  const left: ChangedDeliveries['left'] = [];
  const pages =
    filter.ids === undefined
      ? pagesInStatuses(store, filter, statuses, clock)
      : namedPages(store, filter, [...new Set(filter.ids)], clock);
  for await (const page of pages) {
    const done = await change(
      page.found.flatMap(({ id, status }) => (statuses.includes(status) ? [id] : [])),
    );
    changed.push(...done);
    const isDone = new Set(done);
    const found = new Map(page.found.map(({ id, status }) => [id, status]));
    for (const id of page.ids) if (!isDone.has(id)) left.push({ id, status: found.get(id) ?? null });
  }
  return { changed, left };
}

async function* pagesInStatuses(
  store: DeliveryStore,
  filter: DeliveryFilter,
  statuses: readonly DeliveryStatus[],
  clock: Clock,
): AsyncGenerator<DeliveryPage> {
  for (const status of statuses) {
    if (filter.status !== undefined && filter.status !== status) continue;
    const pages = eachPage((page) => store.deliveries({ ...filter, status }, { order: 'oldest', ...page }), {
      limit: PAGE,
      between: () => pause(clock, PAUSE_MS),
    });
    for await (const found of pages) yield { ids: found.map(({ id }) => id), found };
  }
}

async function* namedPages(
  store: DeliveryStore,
  filter: DeliveryFilter,
  ids: readonly string[],
  clock: Clock,
): AsyncGenerator<DeliveryPage> {
  for (let at = 0; at < ids.length; at += PAGE) {
    if (at > 0) await pause(clock, PAUSE_MS);
    const named = ids.slice(at, at + PAGE);
    yield {
      ids: named,
      found: await store.deliveries({ ...filter, ids: named }, { order: 'oldest', limit: PAGE }),
    };
  }
}
