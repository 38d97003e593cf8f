import { sql } from 'kysely';
import { tellTrafficViolation } from '../traffic-violations/change-traffic-violation.ts';
import { findIds, type NightTurn } from './night.ts';

/**
 * What a violation offered until yesterday and no longer does: indications, and
 * discounts, whose last day is its due date, or the deadline of the prior defense
 * for the larger one. What has just become overdue has told so already.
 */
export const closingWindows: NightTurn = {
  find: (change, { since, today }, asked) =>
    findIds(
      change,
      'traffic_violations',
      [
        sql`status in ('pending', 'citation') and indication_deadline >= ${since} and indication_deadline < ${today}`,
        sql`payable = 1 and preliminary_appeal_deadline >= ${since} and preliminary_appeal_deadline < ${today}
          and due_date >= ${today}`,
        sql`payable = 1 and status <> 'overdue' and due_date >= ${since} and due_date < ${today}`,
      ],
      asked,
    ),
  bring: (change, id) => tellTrafficViolation(change, 'traffic-violation.updated', id),
};
