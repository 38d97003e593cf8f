import type { ClaimRequest } from '../../lane-queue.ts';
import type { Connection } from '../sql/connection.ts';
import { valuesOf } from '../sql/expressions.ts';
import { chosenOf, interleaved, type LaneHead } from '../../rows/deliveries/claim-choice.ts';
import type { StartedDelivery } from '../../rows/deliveries/claimed-delivery.ts';
import { HEAD, LAST_DUE, PARKED_AT_ONCE, SEARCHED_FOR_SOURCES } from '../../rows/deliveries/lane-heads.ts';
import { rowOf } from '../../rows/ids.ts';
import { prepare, type Named } from '../sql/statement.ts';
import type { ClockJumps } from './clock-jumps.ts';
import type { PausedHeads } from './paused-heads.ts';
import { startedColumns, type StartDeliveries } from './start.ts';

/** The rows of a `Claim`: the deliveries to run now, then the prefetched ones. */
export interface StartedDeliveries {
  readonly deliveries: readonly StartedDelivery[];
  readonly nextDueAt: number | null;
  /** Whether paused heads are left to look at, which the next claim does. */
  readonly more: boolean;
}

/** Claims the heads of lanes that are due. Called inside a transaction. */
export type ClaimDeliveries = (request: ClaimRequest) => StartedDeliveries;

interface Deps {
  readonly start: StartDeliveries;
  readonly clockJumps: ClockJumps;
  readonly paused: PausedHeads;
}

/**
 * Handlers alternate, so that the backlog of a slow one does not hold up the
 * others. Within a handler the head that has been due longest comes first. Each
 * handler is queried separately: the backlog of a paused handler costs nothing.
 */
export function createClaimDeliveries(connection: Connection, deps: Deps): ClaimDeliveries {
  const { start, clockJumps, paused } = deps;
  const heads = createLaneHeads(connection);

  /** Parks paused heads until the candidates are free of them, or until that was enough for one claim. */
  function openCandidates(request: ClaimRequest): { candidates: readonly LaneHead[]; more: boolean } {
    const isPaused = (head: LaneHead): boolean => paused.isPaused(head, request.now);
    let least = 0;
    for (let parked = 0; ;) {
      const candidates = candidatesFor(heads, request, least);
      const ids = candidates.filter(isPaused).map((head) => head.delivery_id);
      if (ids.length === 0) return { candidates, more: false };
      paused.park(ids);
      // Paused heads come in groups, so each round reads four times as many.
      least = Math.min(PARKED_AT_ONCE, 4 * Math.max(least, ids.length));
      parked += ids.length;
      if (parked >= PARKED_AT_ONCE)
        return { candidates: candidates.filter((head) => !isPaused(head)), more: true };
    }
  }

  return (given) => {
    const { now } = given;
    clockJumps.endBrokenWaits(now);
    const toUnpark = paused.unpark(now);
    const request = { ...given, handlers: paused.admitted(given.handlers, now) };
    const { candidates, more } = openCandidates(request);
    const chosen = chosenOf(candidates, request);
    const deliveries = [
      ...start.several(chosen.slice(0, request.limit)),
      ...start.prefetched(chosen.slice(request.limit)),
    ];
    const started = new Set(chosen);
    const left = candidates.filter((head) => !started.has(head)).map((head) => head.due_at);
    return { deliveries, nextDueAt: left.length === 0 ? null : Math.min(...left), more: more || toUnpark };
  };
}

/**
 * Reads one head more per handler than can be claimed: it tells when to claim again.
 *
 * @param least reads so many at least
 */
function candidatesFor(heads: LaneHeads, request: ClaimRequest, least: number): readonly LaneHead[] {
  const most = Math.max(least, request.limit + (request.prefetch ?? 0) + 1);
  if (request.replay !== undefined) {
    const found = heads.ofReplay(rowOf('r', request.replay) ?? 0, request.handlers, request.now, most);
    return found.toSorted((one, other) => one.due_at - other.due_at || one.delivery_id - other.delivery_id);
  }
  const lists = request.handlers.map((handler) => {
    const found = heads.ofHandler(handler, most);
    const untried = probeOf(heads, handler, request);
    return untried === undefined
      ? found
      : [untried, ...found.filter((head) => head.delivery_id !== untried.delivery_id)];
  });
  return interleaved(lists);
}

/** The delivery that a claim with `untriedFirst` prefers. */
function probeOf(heads: LaneHeads, handler: string, request: ClaimRequest): LaneHead | undefined {
  const { now, untriedFirst: which, exceptSources = [] } = request;
  if (which === undefined) return undefined;
  const ofOthers =
    exceptSources.length === 0 ? undefined : heads.ofOtherSources(handler, now, which, exceptSources);
  return ofOthers ?? heads.untriedOf(handler, now, which);
}

/** Reads the heads of lanes, earliest due first, including those that are not due yet. */
interface LaneHeads {
  ofHandler(handler: string, most: number): readonly LaneHead[];
  /** A due head without attempts: the one due for longest, or the newest delivery. Scans due heads with attempts. */
  untriedOf(handler: string, now: number, which: 'oldest' | 'newest'): LaneHead | undefined;
  /** As `untriedOf`, of no source of these; undefined if there is none among those searched. */
  ofOtherSources(
    handler: string,
    now: number,
    which: 'oldest' | 'newest',
    sources: readonly string[],
  ): LaneHead | undefined;
  /** The due heads of a replay; the next one to become due if there are none. */
  ofReplay(replay: number, handlers: readonly string[], now: number, most: number): readonly LaneHead[];
}

function createLaneHeads({ database, query }: Connection): LaneHeads {
  const heads = () =>
    query
      .selectFrom('deliveries')
      .select(startedColumns)
      .select(['due_at', 'cut_short'])
      .where((eb) => eb('head', '=', eb.lit(HEAD)))
      .$narrowType<{ due_at: number }>();
  const ofHandler = prepare(database, (p: Named<{ handler: string; most: number }>) =>
    heads().where('handler', '=', p.handler).orderBy('due_at').orderBy('id').limit(p.most),
  );
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

  type Replay = { replay: number; handlers: string };
  const ofReplay = (p: Named<Replay>) =>
    heads()
      .where('replay_id', '=', p.replay)
      .where((eb) => eb('replay_id', '>', eb.lit(0)))
      .where('handler', 'in', valuesOf<string>(p.handlers));
  // In the order of the index, so that no claim sorts a long replay.
  const dueOfReplay = prepare(database, (p: Named<Replay & { now: number; most: number }>) =>
    ofReplay(p).where('due_at', '<=', p.now).orderBy('id').limit(p.most),
  );
  const nextOfReplay = prepare(database, (p: Named<Replay>) => ofReplay(p).orderBy('due_at').limit(1));

  return {
    ofHandler: (handler, most) => ofHandler.all({ handler, most }),
    untriedOf(handler, now, which) {
      if (which === 'oldest') return oldest.get({ handler, now });
      const [first, ...others] = lastDue.all({ handler, now });
      return others.reduce(
        (one, other) => (other.delivery_id > (one?.delivery_id ?? 0) ? other : one),
        first,
      );
    },
    ofOtherSources(handler, now, which, except) {
      const found = which === 'oldest' ? oldestOfOthers : newestOfOthers;
      return found.get({ handler, now, sources: JSON.stringify(except) });
    },
    ofReplay(replay, handlers, now, most) {
      const which = { replay, handlers: JSON.stringify(handlers) };
      const due = dueOfReplay.all({ ...which, now, most });
      return due.length > 0 ? due : nextOfReplay.all(which);
    },
  };
}
