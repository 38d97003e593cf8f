import type { Clock } from '../kernel/time/clock.ts';
import { pause } from '../kernel/time/pause.ts';
import type { DeliveryFilter, DeliveryRecord, Queries } from '../store/queries.ts';
import type { Replays } from '../store/replays.ts';
import type { RetryView } from '../view/retry-view.ts';

/** Deliveries that one write retries: it blocks the process, and other processes' writes. */
const PAGE = 500;
/** Milliseconds between pages, about what a page takes: an owner in another process gets its turns. */
const PAUSE_MS = 20;

type RetryStore = Pick<Queries, 'deliveries'> & Pick<Replays, 'retryDeliveries'>;

export interface RetryRequest {
  /** Which deliveries: `ids`, or any other conditions. Only dead ones are retried. */
  readonly filter: DeliveryFilter;
  readonly clock: Clock;
  /** Tell what would be retried, change nothing. */
  readonly dryRun: boolean;
}

/**
 * Gives dead deliveries a fresh count of tries, at the head of their lanes.
 * Deliveries that are named and not dead are reported and left alone. Each page
 * is a write of its own: when one fails, those before it are retried, and
 * asking again does the rest.
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
    for (const id of page.asked) if (!isDone.has(id)) left.push({ id, status: statuses.get(id) ?? null });
  }
  return { retried, left_alone: left };
}

interface RetryPage {
  /** Ids that are to be answered for. */
  readonly asked: readonly string[];
  readonly found: readonly DeliveryRecord[];
}

/** Conditions alone mean the dead ones among them; names are answered for one by one. */
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
    yield { asked: found.map(({ id }) => id), found };
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
    const asked = ids.slice(at, at + PAGE);
    yield {
      asked,
      found: await store.deliveries({ ...filter, ids: asked }, { order: 'oldest', limit: PAGE }),
    };
  }
}
