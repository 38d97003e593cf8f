import type { Clock } from '../kernel/time/clock.ts';
import { pause } from '../kernel/time/pause.ts';
import type { DeliveryFilter, DeliveryRecord, Queries } from '../store/queries.ts';
import type { Replays } from '../store/replays.ts';
import type { RetryView } from '../view/operation-views.ts';

/** Deliveries that one transaction retries: it blocks other writers. */
const PAGE = 500;
/** Milliseconds between pages, about as long as a page takes: other processes write meanwhile. */
const PAUSE_MS = 20;

type RetryStore = Pick<Queries, 'deliveries'> & Pick<Replays, 'retryDeliveries'>;

export interface RetryRequest {
  /** Selects deliveries by `ids` or any other conditions. Only dead ones are retried. */
  readonly filter: DeliveryFilter;
  readonly clock: Clock;
  /** Report what would be retried, without changes. */
  readonly dryRun: boolean;
}

/**
 * Makes dead deliveries pending with zero attempts, at the head of their lanes.
 * Named deliveries that are not dead are reported and left alone. Each page is a
 * transaction: after an error the earlier pages are retried, and calling again
 * retries the rest.
 */
export async function retryDeliveries(
  store: RetryStore,
  { filter, clock, dryRun }: RetryRequest,
): Promise<RetryView> {
  const retried: string[] = [];
  const left: RetryView['left_alone'][number][] = [];
  for await (const page of pagesOf(store, filter, clock)) {
    const dead = page.found.filter(({ status }) => status === 'dead').map(({ id }) => id);
    const done = dryRun ? dead : await store.retryDeliveries(dead, clock.now());
    retried.push(...done);

    const isDone = new Set(done);
    const statuses = new Map(page.found.map(({ id, status }) => [id, status]));
    for (const id of page.ids) if (!isDone.has(id)) left.push({ id, status: statuses.get(id) ?? null });
  }
  return { retried, left_alone: left };
}

interface RetryPage {
  /** Ids to report on. */
  readonly ids: readonly string[];
  readonly found: readonly DeliveryRecord[];
}

/** Without ids only dead deliveries are read; with ids each is reported. */
function pagesOf(store: RetryStore, filter: DeliveryFilter, clock: Clock): AsyncIterable<RetryPage> {
  return filter.ids === undefined
    ? deadPages(store, filter, clock)
    : namedPages(store, filter, [...new Set(filter.ids)], clock);
}

async function* deadPages(
  store: RetryStore,
  filter: DeliveryFilter,
  clock: Clock,
): AsyncGenerator<RetryPage> {
  for (let after: string | undefined; ; await pause(clock, PAUSE_MS)) {
    const page = { order: 'oldest', limit: PAGE, ...(after !== undefined && { after }) } as const;
    const found = await store.deliveries({ ...filter, status: 'dead' }, page);
    yield { ids: found.map(({ id }) => id), found };
    after = found.at(-1)?.id;
    if (found.length < PAGE) return;
  }
}

async function* namedPages(
  store: RetryStore,
  filter: DeliveryFilter,
  ids: readonly string[],
  clock: Clock,
): AsyncGenerator<RetryPage> {
  for (let at = 0; at < ids.length; at += PAGE) {
    if (at > 0) await pause(clock, PAUSE_MS);
    const named = ids.slice(at, at + PAGE);
    yield {
      ids: named,
      found: await store.deliveries({ ...filter, ids: named }, { order: 'oldest', limit: PAGE }),
    };
  }
}
