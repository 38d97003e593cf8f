import { sql, type RawBuilder } from 'kysely';
import type { LaneOrder } from '../../route.ts';

/** What decides the lane of a delivery. */
export interface LanePlace {
  readonly order: LaneOrder;
  readonly subjectId: number;
  /** Of the delivery itself. */
  readonly id: number;
}

/** The number of a delivery's lane among its handler's. Subjects are numbered from 1. */
export function laneOf({ order, subjectId, id }: LanePlace): number {
  switch (order) {
    case 'subject':
      return subjectId;
    case 'handler':
      return 0;
    case 'none':
      return -id;
  }
}

/** The same in SQL, of a delivery that is selected from `events`. */
export function laneInSql(order: RawBuilder<LaneOrder>, id: RawBuilder<number>): RawBuilder<number> {
  return sql`case ${order} when 'subject' then events.subject_id when 'handler' then 0 else -(${id}) end`;
}
