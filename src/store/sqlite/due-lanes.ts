import { sql } from 'kysely';
import type { Connection } from './connection.ts';
import { prepare, type Named } from './statement.ts';

export interface DueLane {
  readonly id: number;
  readonly due_at: number;
}

/** Lanes that nobody holds, those due first in front, also some that are not due yet. */
export interface DueLanes {
  /** At most `most` of the handler's. */
  ofHandler(handler: string, most: number): readonly DueLane[];
  /** At most `most` whose head belongs to the replay, due ones only if there are any. */
  ofReplay(replay: number, handlers: readonly string[], now: number, most: number): readonly DueLane[];
}

export function createDueLanes({ database, query }: Connection): DueLanes {
  const ofHandler = prepare(database, (p: Named<{ handler: string; most: number }>) =>
    query
      .selectFrom('lanes')
      .select(['id', 'due_at'])
      .where('handler', '=', p.handler)
      .where((eb) => eb('claimed', '=', eb.lit(0)))
      .orderBy('due_at')
      .orderBy('id')
      .limit(p.most),
  );

  type Replay = { replay: number; handlers: string };
  /** Lanes whose first unfinished delivery is one of the replay's. */
  const headedBy = (p: Named<Replay>) =>
    query
      .selectFrom('deliveries as head')
      .innerJoin('lanes', 'lanes.id', 'head.lane_id')
      .where('head.replay_id', '=', p.replay)
      .where((eb) => eb('head.replay_id', '>', eb.lit(0)))
      .where('head.status', '=', 'pending')
      .where((eb) => eb('lanes.claimed', '=', eb.lit(0)))
      .where('lanes.handler', 'in', sql<string>`(select value from json_each(${p.handlers}))`)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('deliveries as ahead')
              .select('ahead.id')
              .whereRef('ahead.lane_id', '=', 'head.lane_id')
              .where('ahead.finished_at', 'is', null)
              .whereRef('ahead.id', '<', 'head.id'),
          ),
        ),
      );
  // In the order of the replay, which the index gives, so that a long replay is not sorted at each claim.
  const dueOfReplay = prepare(database, (p: Named<Replay & { now: number; most: number }>) =>
    headedBy(p)
      .select(['lanes.id', 'lanes.due_at'])
      .where('lanes.due_at', '<=', p.now)
      .orderBy('head.id')
      .limit(p.most),
  );
  const nextOfReplay = prepare(database, (p: Named<Replay>) =>
    headedBy(p).select(['lanes.id', 'lanes.due_at']).orderBy('lanes.due_at').limit(1),
  );

  return {
    ofHandler: (handler, most) => ofHandler.all({ handler, most }),
    ofReplay(replay, handlers, now, most) {
      const which = { replay, handlers: JSON.stringify(handlers) };
      const due = dueOfReplay.all({ ...which, now, most });
      return due.length > 0 ? due : nextOfReplay.all(which);
    },
  };
}
