import { sql } from 'kysely';
import type { LaneOrder } from '../../route.ts';
import { HANDLER_LANE_LOCK } from '../sql/advisory-locks.ts';
import { arrayOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** Lanes to lock: those of subjects, and those of handlers that run one delivery at a time. */
export interface LockedLanes {
  /** Row numbers of subjects. */
  readonly subjects: readonly number[];
  readonly handlers: readonly string[];
}

/**
 * Locks lanes until the end of the transaction. Whoever adds a delivery to a lane, ends one, or changes which one is
 * its head holds the lock: so no delivery is added unseen behind one that ends. A claim
 * takes no lane lock: adding and ending do not depend on which delivery runs.
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
        select pg_advisory_xact_lock(${HANDLER_LANE_LOCK}, hashtext(name))
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
