import { sql } from 'kysely';
import type { JsonValue } from '../../../kernel/json/json.ts';
import type { LaneOrder } from '../../route.ts';
import { arrayOf } from '../sql/expressions.ts';
import type { Transaction } from '../commit/write.ts';
import type { Session } from '../sql/session.ts';
import { laneOf } from './lane-locks.ts';

/** A delivery to store: of an event to a handler, or of a machine's effect. */
export interface NewDelivery {
  readonly eventId: number;
  readonly subjectId: number;
  readonly handler: string;
  readonly order: LaneOrder;
  /** 0 for a first delivery. */
  readonly replayId: number;
  readonly effect?: { readonly name: string; readonly change: JsonValue; readonly late: boolean };
  /** The reason to store it as skipped. */
  readonly skip?: string;
}

/**
 * Stores deliveries at the ends of their lanes, in the given order. A delivery of the same event, handler, effect and
 * replay is not stored again. The caller has locked the lanes (see lane-locks.ts), which covers reading what waits.
 *
 * @param options.first whether the events are new, so that none of the deliveries can be stored already
 * @returns for each delivery whether it waits in its lane: false when skipped or stored before
 */
export async function enqueue(
  { session, counts }: Transaction,
  deliveries: readonly NewDelivery[],
  now: number,
  { first = false }: { readonly first?: boolean } = {},
): Promise<readonly boolean[]> {
  if (deliveries.length === 0) return [];
  const ids = await drawIds(session, deliveries.length);
  const rows = deliveries.map((delivery, index) => {
    const id = ids[index] ?? 0;
    return { ...delivery, id, lane: laneOf(delivery.order, delivery.subjectId, id) };
  });
  const occupied = await occupiedLanes(session, rows);
  // Rows that are all new can be stored as heads, which costs half of changing them afterwards.
  const inserted = await insert(session, rows, { now, heads: first ? headsOf(rows, occupied) : new Set() });
  const added = rows.filter(({ id }) => inserted.has(id));
  for (const { handler, replayId, skip } of added)
    counts.deliveryStored({ handler, replayId }, skip === undefined ? 'pending' : 'skipped');
  const heads = first ? [] : [...headsOf(added, occupied)];
  if (heads.length > 0)
    await session.run(sql`
      update deliveries set head = 1, due_at = ${now}, asked_at = ${now}
      where id = any(${arrayOf(heads, 'bigint')})`);
  return rows.map(({ id, skip }) => inserted.has(id) && skip === undefined);
}

type Row = NewDelivery & { readonly id: number; readonly lane: number };

/** Returns the deliveries that are the first in their lanes. */
function headsOf(rows: readonly Row[], occupied: ReadonlySet<string>): ReadonlySet<number> {
  const taken = new Set(occupied);
  const heads = rows.filter(({ handler, lane, skip }) => {
    const key = laneKey(handler, lane);
    if (skip !== undefined || taken.has(key)) return false;
    taken.add(key);
    return true;
  });
  return new Set(heads.map(({ id }) => id));
}

async function drawIds(session: Session, count: number): Promise<readonly number[]> {
  const drawn = await session.rows(
    sql<{ id: number }>`
      select nextval(pg_get_serial_sequence('deliveries', 'id')) as id from generate_series(1, ${count})`,
  );
  return drawn.map(({ id }) => id);
}

/** Returns the lanes of these deliveries in which another one waits or runs. */
async function occupiedLanes(session: Session, rows: readonly Row[]): Promise<Set<string>> {
  const ordered = rows.filter(({ order, skip }) => order !== 'none' && skip === undefined);
  if (ordered.length === 0) return new Set();
  const found = await session.rows(
    sql<{ handler: string; lane: number }>`
      select distinct lanes.handler, lanes.lane
      from unnest(${arrayOf(
        ordered.map(({ handler }) => handler),
        'text',
      )}, ${arrayOf(
        ordered.map(({ lane }) => lane),
        'bigint',
      )}) as lanes (handler, lane)
      where exists (
        select from deliveries
        where deliveries.handler = lanes.handler and deliveries.lane = lanes.lane and finished_at is null
      )`,
  );
  return new Set(found.map(({ handler, lane }) => laneKey(handler, lane)));
}

/** Returns the numbers of the rows that were not stored before. */
async function insert(
  session: Session,
  rows: readonly Row[],
  { now, heads }: { readonly now: number; readonly heads: ReadonlySet<number> },
): Promise<Set<number>> {
  const column = <T extends string | number | null>(
    value: (row: Row) => T,
    type: 'bigint' | 'text' | 'smallint',
  ) => arrayOf(rows.map(value), type);
  const inserted = await session.rows(
    sql<{ id: number }>`
      insert into deliveries (
        id, event_id, handler, effect, effect_change, late, replay_id, lane_order, lane, status, last_error, finished_at,
        head, due_at, asked_at
      )
      select * from unnest(
        ${column(({ id }) => id, 'bigint')},
        ${column(({ eventId }) => eventId, 'bigint')},
        ${column(({ handler }) => handler, 'text')},
        ${column(({ effect }) => effect?.name ?? '', 'text')},
        ${column(({ effect }) => (effect === undefined ? null : JSON.stringify(effect.change)), 'text')},
        ${column(({ effect }) => (effect?.late === true ? 1 : 0), 'smallint')},
        ${column(({ replayId }) => replayId, 'bigint')},
        ${column(({ order }) => order, 'text')},
        ${column(({ lane }) => lane, 'bigint')},
        ${column(({ skip }) => (skip === undefined ? 'pending' : 'skipped'), 'text')},
        ${column(({ skip }) => skip ?? null, 'text')},
        ${column(({ skip }) => (skip === undefined ? null : now), 'bigint')},
        ${column(({ id }) => (heads.has(id) ? 1 : 0), 'smallint')},
        ${column(({ id }) => (heads.has(id) ? now : null), 'bigint')},
        ${column(({ id }) => (heads.has(id) ? now : null), 'bigint')}
      )
      on conflict (event_id, handler, effect, replay_id) do nothing
      returning id`,
  );
  return new Set(inserted.map(({ id }) => id));
}

function laneKey(handler: string, lane: number): string {
  return `${String(lane)} ${handler}`;
}
