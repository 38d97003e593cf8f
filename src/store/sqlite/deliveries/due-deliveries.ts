import type { Connection } from '../sql/connection.ts';
import { startedColumns, type StartedDelivery } from './started-delivery.ts';
import { prepare, type Named } from '../sql/statement.ts';
import { valuesOf } from '../sql/values-of.ts';

export interface DueDelivery extends StartedDelivery {
  readonly due_at: number;
  /** 1 once the end of a process has cut it short. */
  readonly cut_short: number;
}

/** Heads of lanes, those due first in front, also some that are not due yet. */
export interface DueDeliveries {
  /** At most `most` of the handler's. */
  ofHandler(handler: string, most: number): readonly DueDelivery[];
  /** The handler's that is due first of those never tried. Looks at all that were. */
  untriedOf(handler: string, now: number): DueDelivery | undefined;
  /** At most `most` of the replay, due ones only if there are any. */
  ofReplay(replay: number, handlers: readonly string[], now: number, most: number): readonly DueDelivery[];
}

export function createDueDeliveries({ database, query }: Connection): DueDeliveries {
  const heads = () =>
    query
      .selectFrom('deliveries')
      .select(startedColumns)
      .select(['due_at', 'cut_short'])
      .where((eb) => eb('head', '=', eb.lit(1)))
      .$narrowType<{ due_at: number }>();
  const ofHandler = prepare(database, (p: Named<{ handler: string; most: number }>) =>
    heads().where('handler', '=', p.handler).orderBy('due_at').orderBy('id').limit(p.most),
  );
  const untriedOf = prepare(database, (p: Named<{ handler: string; now: number }>) =>
    heads()
      .where('handler', '=', p.handler)
      .where('due_at', '<=', p.now)
      .where('attempts', '=', 0)
      .orderBy('due_at')
      .orderBy('id')
      .limit(1),
  );

  type Replay = { replay: number; handlers: string };
  const ofThis = (p: Named<Replay>) =>
    heads()
      .where('replay_id', '=', p.replay)
      .where((eb) => eb('replay_id', '>', eb.lit(0)))
      .where('handler', 'in', valuesOf<string>(p.handlers));
  // In the order of the replay, which the index gives, so that a long replay is not sorted at each claim.
  const dueOfReplay = prepare(database, (p: Named<Replay & { now: number; most: number }>) =>
    ofThis(p).where('due_at', '<=', p.now).orderBy('id').limit(p.most),
  );
  const nextOfReplay = prepare(database, (p: Named<Replay>) => ofThis(p).orderBy('due_at').limit(1));

  return {
    ofHandler: (handler, most) => ofHandler.all({ handler, most }),
    untriedOf: (handler, now) => untriedOf.get({ handler, now }),
    ofReplay(replay, handlers, now, most) {
      const which = { replay, handlers: JSON.stringify(handlers) };
      const due = dueOfReplay.all({ ...which, now, most });
      return due.length > 0 ? due : nextOfReplay.all(which);
    },
  };
}
