import type { LaneOrder } from '../route.ts';
import type { Connection } from './connection.ts';
import { prepare, type Named } from './statement.ts';

/** What decides the lane of a delivery. */
export interface LanePlace {
  readonly handler: string;
  readonly order: LaneOrder;
  readonly subjectId: number;
  readonly eventId: number;
  readonly replayId: number;
}

/** Rows of `lanes`. One exists exactly while something in its lane is unfinished. */
export interface LaneRows {
  /** The lane's row, made when missing; a new one is due at once. */
  open(place: LanePlace, now: number): number;
  claim(lane: number): void;
  /** Ends the claim; the lane may be claimed again from `dueAt`. */
  release(lane: number, dueAt: number, now: number): void;
  /** Makes a lane that nobody holds due at once. */
  hurry(lane: number, now: number): void;
  remove(lane: number): void;
}

export function createLaneRows({ database, query }: Connection): LaneRows {
  const find = prepare(database, (p: Named<{ handler: string; key: string }>) =>
    query.selectFrom('lanes').select('id').where('handler', '=', p.handler).where('key', '=', p.key),
  );
  const insert = prepare(database, (p: Named<{ handler: string; key: string; now: number }>) =>
    query.insertInto('lanes').values({ handler: p.handler, key: p.key, due_at: p.now, asked_at: p.now }),
  );
  const claim = prepare(database, (p: Named<{ id: number }>) =>
    query.updateTable('lanes').set({ claimed: 1 }).where('id', '=', p.id),
  );
  const release = prepare(database, (p: Named<{ id: number; dueAt: number; now: number }>) =>
    query.updateTable('lanes').set({ claimed: 0, due_at: p.dueAt, asked_at: p.now }).where('id', '=', p.id),
  );
  const hurry = prepare(database, (p: Named<{ id: number; now: number }>) =>
    query
      .updateTable('lanes')
      .set({ due_at: p.now, asked_at: p.now })
      .where('id', '=', p.id)
      .where('claimed', '=', 0),
  );
  const remove = prepare(database, (p: Named<{ id: number }>) =>
    query.deleteFrom('lanes').where('id', '=', p.id),
  );

  return {
    open(place, now) {
      const lane = { handler: place.handler, key: laneKey(place) };
      return find.get(lane)?.id ?? Number(insert.run({ ...lane, now }).lastInsertRowid);
    },
    claim: (id) => void claim.run({ id }),
    release: (id, dueAt, now) => void release.run({ id, dueAt, now }),
    hurry: (id, now) => void hurry.run({ id, now }),
    remove: (id) => void remove.run({ id }),
  };
}

function laneKey(place: LanePlace): string {
  switch (place.order) {
    case 'subject':
      return `s${String(place.subjectId)}`;
    case 'handler':
      return 'h';
    case 'none':
      return `e${String(place.eventId)}/${String(place.replayId)}`;
  }
}
