import { sql } from 'kysely';
import type { LaneOrder } from '../../route.ts';
import { arrayOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** Lanes to lock: those of subjects, and those of handlers that run one delivery at a time. */
export interface LockedLanes {
  /** Row numbers of subjects. */
  readonly subjects: readonly number[];
  readonly handlers: readonly string[];
}

/** The first half of the numbers of advisory locks of handlers' lanes. */
const HANDLER_LANE = 1_347_375_700;

/**
 * Locks lanes until the end of the transaction. Whoever adds a delivery to a lane, ends one, or changes which one is
 * its head holds the lock: so no delivery is added unseen behind one that ends. Claims do not lock: they change
 * only which delivery runs, which neither of these asks.
 *
 * All transactions lock in the same order, so that none waits for the other: new subjects are inserted first, then
 * subjects by number, then handlers by name. A lane without order has one delivery, and needs no lock.
 */
export async function lockLanes(session: Session, { subjects, handlers }: LockedLanes): Promise<void> {
  const rows = [...new Set(subjects)].toSorted((one, other) => one - other);
  const names = [...new Set(handlers)].toSorted();
  // They travel together, and run one after the other.
  await Promise.all([
    rows.length > 0 &&
      session.run(sql`
        select id from subjects where id = any(${arrayOf(rows, 'bigint')}) order by id for no key update`),
    names.length > 0 &&
      session.run(sql`
        select pg_advisory_xact_lock(${HANDLER_LANE}, hashtext(name))
        from unnest(${arrayOf(names, 'text')}) with ordinality as handlers (name, place) order by place`),
  ]);
}

/** Returns the lane of a delivery. Subjects are numbered from 1, so the three ranges do not meet. */
export function laneOf(order: LaneOrder, subjectId: number, deliveryId: number): number {
  switch (order) {
    case 'subject':
      return subjectId;
    case 'handler':
      return 0;
    case 'none':
      return -deliveryId;
  }
}
