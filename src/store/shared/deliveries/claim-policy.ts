/** What a claim takes: which heads of lanes, how many, and in which order. A store reads the heads, and starts those. */
import type { ClaimRequest } from '../../lane-queue.ts';
import type { QueuedDelivery } from './claimed-delivery.ts';

/** The first unfinished delivery of a lane in which none runs. */
export interface LaneHead extends QueuedDelivery {
  readonly due_at: number;
  /** 1 once a crash has interrupted the delivery. */
  readonly cut_short: number;
}

/** Paused heads that one claim parks, at least. */
const PARKED_AT_ONCE = 2_000;

/** What one claim has parked, of the paused heads that it met. */
export interface Parking {
  readonly parked: number;
  /** Heads of each handler to read in the next round, at least. */
  readonly least: number;
  /** Whether that is enough for one claim: the next one goes on. */
  readonly isFull: boolean;
}

export const NOTHING_PARKED: Parking = { parked: 0, least: 0, isFull: false };

/** Paused heads come in groups, so each round reads four times as many. */
export function parkedMore({ parked, least }: Parking, count: number): Parking {
  return {
    parked: parked + count,
    least: Math.min(PARKED_AT_ONCE, 4 * Math.max(least, count)),
    isFull: parked + count >= PARKED_AT_ONCE,
  };
}

/** How many heads of each handler to read. */
export interface HeadsToRead {
  /** Of those that are due. */
  readonly due: number;
  /** Of those that are due later: thousands may wait for their next attempts, and cost a claim nothing. */
  readonly later: number;
}

/** One more than can be claimed tells when to claim again. */
export function headsToRead({ limit, prefetch = 0 }: ClaimRequest, { least }: Parking): HeadsToRead {
  return { due: Math.max(least, limit + prefetch + 1), later: Math.max(least, 1) };
}

/** Heads of one handler that a claim meets. */
export interface HandlerHeads {
  /** Earliest due first, with the next ones that are not due yet. */
  readonly heads: readonly LaneHead[];
  /** The delivery that a claim with `untriedFirst` prefers. */
  readonly probe?: LaneHead | undefined;
}

/**
 * Puts the heads of handlers in the order in which a claim starts them. Handlers alternate, so that the backlog of a
 * slow one does not hold up the others. Within a handler the probe comes first, then the head that has been due
 * longest.
 */
export function claimOrder(handlers: readonly HandlerHeads[]): readonly LaneHead[] {
  const lists = handlers.map(({ heads, probe }) =>
    probe === undefined ? heads : [probe, ...heads.filter((head) => head.delivery_id !== probe.delivery_id)],
  );
  const [only, another] = lists;
  if (only !== undefined && another === undefined) return only;
  return lists
    .flatMap((list) => list.map((head, rank) => ({ head, rank })))
    .toSorted((one, other) => one.rank - other.rank || byDueTime(one.head, other.head))
    .map(({ head }) => head);
}

function byDueTime(one: LaneHead, other: LaneHead): number {
  return one.due_at - other.due_at || one.delivery_id - other.delivery_id;
}

/** Due heads among which the newest delivery is sought: probes that were released are due later than it. */
export const LAST_DUE = 64;

/** Due heads whose source is read for a probe. It bounds the time: a backlog may have millions. */
export const SEARCHED_FOR_SOURCES = 10_000;

/** Returns the newest delivery among the heads that became due last. */
export function newestOf(lastDue: readonly LaneHead[]): LaneHead | undefined {
  const [first, ...others] = lastDue;
  return others.reduce((one, other) => (other.delivery_id > (one?.delivery_id ?? 0) ? other : one), first);
}

/** What a claim does with the heads that it met. */
export interface Choice {
  /** The deliveries to run now. */
  readonly running: readonly LaneHead[];
  readonly prefetched: readonly LaneHead[];
  /** When the first of the others is due; null when there is none. */
  readonly nextDueAt: number | null;
}

/** Chooses the heads that are due, in their order, up to the limits of the request. */
export function choose(
  heads: readonly LaneHead[],
  { now, limit, prefetch = 0, notPrefetched = [] }: ClaimRequest,
): Choice {
  const mayPrefetch = (head: LaneHead): boolean =>
    prefetched.length < prefetch &&
    isUninterruptedFirstAttempt(head) &&
    !notPrefetched.includes(head.handler);
  const running: LaneHead[] = [];
  const prefetched: LaneHead[] = [];
  let nextDueAt: number | null = null;
  for (const head of heads) {
    if (head.due_at <= now && running.length < limit) running.push(head);
    else if (head.due_at <= now && mayPrefetch(head)) prefetched.push(head);
    else nextDueAt = Math.min(nextDueAt ?? Infinity, head.due_at);
  }
  return { running, prefetched, nextDueAt };
}

/** A delivery that crashes the process is not prefetched twice: it would waste the attempts of others. */
export function isUninterruptedFirstAttempt({ attempt, cut_short: interrupted }: LaneHead): boolean {
  return attempt === 1 && interrupted === 0;
}
