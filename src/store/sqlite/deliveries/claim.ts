/**
 * Claims deliveries that are due, in the writing thread: no other write runs meanwhile, so no locks are needed. Which
 * heads are chosen is decided in shared/deliveries/claim-policy.ts.
 */
import type { ClaimRequest, SupersededDeliveries } from '../../lane-queue.ts';
import type { Connection } from '../sql/connection.ts';
import { valuesOf } from '../sql/expressions.ts';
import {
  choose,
  claimOrder,
  headsToRead,
  LAST_DUE,
  newestOf,
  NOTHING_PARKED,
  parkedMore,
  type HeadsToRead,
  SEARCHED_FOR_SOURCES,
  type LaneHead,
} from '../../shared/deliveries/claim-policy.ts';
import { beginLatestClaim } from '../../shared/deliveries/latest-policy.ts';
import type { QueuedDelivery } from '../../shared/deliveries/claimed-delivery.ts';
import { HEAD } from '../../shared/deliveries/head-values.ts';
import { prepare, type Named } from '../sql/statement.ts';
import type { ClockJumps } from './clock-jumps.ts';
import type { SettleLanes } from './latest.ts';
import type { PausedHeads } from './paused-heads.ts';
import { queuedColumns, type StartDeliveries } from './start.ts';

/** The rows of a `Claim`: the deliveries to run now, then the prefetched ones. */
export interface StartedDeliveries {
  readonly deliveries: readonly QueuedDelivery[];
  readonly nextDueAt: number | null;
  readonly superseded: readonly SupersededDeliveries[];
  /** Whether heads are left that are paused, or not the newest of their lanes: the next claim looks at them. */
  readonly more: boolean;
}

/** Claims the heads of lanes that are due. Called inside a transaction. */
export type ClaimDeliveries = (request: ClaimRequest) => StartedDeliveries;

interface Deps {
  readonly start: StartDeliveries;
  readonly clockJumps: ClockJumps;
  readonly paused: PausedHeads;
  readonly settleLanes: SettleLanes;
}

/** Reads the heads that {@link ClaimRequest} asks for, and starts those that shared/deliveries/claim-policy.ts chooses. */
export function createClaimDeliveries(connection: Connection, deps: Deps): ClaimDeliveries {
  const { start, clockJumps, paused, settleLanes } = deps;
  const laneHeads = createLaneHeads(connection);

  /** Parks paused heads until none is left, or until one claim has parked its maximum. */
  function openHeads(request: ClaimRequest): { heads: readonly LaneHead[]; more: boolean } {
    for (let parking = NOTHING_PARKED; ;) {
      const heads = readHeads(laneHeads, request, headsToRead(request, parking));
      const held = new Set(heads.filter((head) => paused.isPaused(head, request.now)));
      if (held.size === 0) return { heads, more: false };
      paused.park([...held].map((head) => head.delivery_id));
      parking = parkedMore(parking, held.size);
      if (parking.isFull) return { heads: heads.filter((head) => !held.has(head)), more: true };
    }
  }

  return (given) => {
    const { now } = given;
    clockJumps.endProlongedWaits(now);
    const toUnpark = paused.unpark(now);
    const request = { ...given, handlers: paused.admitted(given.handlers, now) };
    const { heads, more } = openHeads(request);
    const choice = choose(heads, request);
    const latest = beginLatestClaim(given, connection.ids);
    settleLanes(choice, now, latest);
    const { running, prefetched, ...ended } = latest.end(choice);
    const deliveries = [...start.several(running), ...start.prefetched(prefetched)];
    return { ...ended, deliveries, more: more || toUnpark || ended.more };
  };
}

/** Each handler is queried separately: the backlog of a paused handler costs nothing. */
function readHeads(heads: LaneHeads, request: ClaimRequest, most: HeadsToRead): readonly LaneHead[] {
  const { handlers, now } = request;
  return claimOrder(
    handlers.map((handler) => ({
      heads: heads.ofHandler(handler, now, most),
      probe: probeOf(heads, handler, request),
    })),
  );
}

/** The delivery that a claim with `untriedFirst` prefers. */
function probeOf(heads: LaneHeads, handler: string, request: ClaimRequest): LaneHead | undefined {
  const { now, untriedFirst: which, exceptSources = [] } = request;
  if (which === undefined) return undefined;
  const ofOthers =
    exceptSources.length === 0 ? undefined : heads.ofOtherSources(handler, now, which, exceptSources);
  return ofOthers ?? heads.untriedOf(handler, now, which);
}

/** Reads the heads of lanes, earliest due first. */
interface LaneHeads {
  /** With the next ones that are not due yet. */
  ofHandler(handler: string, now: number, most: HeadsToRead): readonly LaneHead[];
  /** A due head without attempts: the one due for longest, or the newest delivery. Scans due heads with attempts. */
  untriedOf(handler: string, now: number, which: 'oldest' | 'newest'): LaneHead | undefined;
  /** As `untriedOf`, of no source of these; undefined if there is none among those searched. */
  ofOtherSources(
    handler: string,
    now: number,
    which: 'oldest' | 'newest',
    sources: readonly string[],
  ): LaneHead | undefined;
}

function createLaneHeads({ database, query }: Connection): LaneHeads {
  const heads = () =>
    query
      .selectFrom('deliveries')
      .select(queuedColumns)
      .select(['due_at', 'cut_short'])
      .where((eb) => eb('head', '=', eb.lit(HEAD)))
      .$narrowType<{ due_at: number }>();
  const ofHandler = (operator: '<=' | '>') =>
    prepare(database, (p: Named<{ handler: string; now: number; most: number }>) =>
      heads()
        .where('handler', '=', p.handler)
        .where('due_at', operator, p.now)
        .orderBy('due_at')
        .orderBy('id')
        .limit(p.most),
    );
  const dueNow = ofHandler('<=');
  const dueLater = ofHandler('>');
  const untriedOf = (direction: 'asc' | 'desc', most: number) =>
    prepare(database, (p: Named<{ handler: string; now: number }>) =>
      heads()
        .where('handler', '=', p.handler)
        .where('due_at', '<=', p.now)
        .where('attempts', '=', 0)
        .orderBy('due_at', direction)
        .orderBy('id', direction)
        .limit(most),
    );
  const ofOtherSources = (direction: 'asc' | 'desc') =>
    prepare(database, (p: Named<{ handler: string; now: number; sources: string }>) =>
      query
        .selectFrom(
          heads()
            .where('handler', '=', p.handler)
            .where('due_at', '<=', p.now)
            .where('attempts', '=', 0)
            .orderBy('due_at', direction)
            .orderBy('id', direction)
            .limit(SEARCHED_FOR_SOURCES)
            .as('due'),
        )
        .innerJoin('events', 'events.id', 'due.event_id')
        .innerJoin('subjects', 'subjects.id', 'events.subject_id')
        .selectAll('due')
        .where('subjects.source', 'not in', valuesOf<string>(p.sources))
        .orderBy('due.delivery_id', direction)
        .limit(1),
    );
  const oldestOfOthers = ofOtherSources('asc');
  const newestOfOthers = ofOtherSources('desc');
  const oldest = untriedOf('asc', 1);
  const lastDue = untriedOf('desc', LAST_DUE);

  return {
    ofHandler(handler, now, most) {
      const due = dueNow.all({ handler, now, most: most.due });
      return due.length === most.due ? due : [...due, ...dueLater.all({ handler, now, most: most.later })];
    },
    untriedOf(handler, now, which) {
      if (which === 'oldest') return oldest.get({ handler, now });
      return newestOf(lastDue.all({ handler, now }));
    },
    ofOtherSources(handler, now, which, except) {
      const found = which === 'oldest' ? oldestOfOthers : newestOfOthers;
      return found.get({ handler, now, sources: JSON.stringify(except) });
    },
  };
}
