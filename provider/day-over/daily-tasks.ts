import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Change } from '../change.ts';
import { moveAnttViolation } from '../antt-violations/change-antt-violation.ts';
import { addDays } from '../brazilian-day.ts';
import { moveCharge } from '../charges/change-charge.ts';
import { drawFor } from '../scenario/draw.ts';
import { LATE_DAYS, type Chance } from '../scenario/pace-and-odds.ts';
import {
  moveTrafficViolation,
  emitTrafficViolation,
} from '../traffic-violations/change-traffic-violation.ts';

/** From one day to the next, or over several where the provider was off. */
export interface Night {
  /** The day whose beginning was dealt with before, `YYYY-MM-DD`. */
  readonly since: string;
  /** The day that has begun. */
  readonly today: string;
}

/** Which records a night concerns: ascending, with ids above `after`, so many at most. */
export interface Asked {
  readonly after: number;
  readonly limit: number;
}

/** Something that a night brings to some of an organization's records. */
export interface DailyTask {
  find(change: Change, night: Night, asked: Asked): Promise<readonly number[]>;
  /** To one of those that were found. */
  bring(change: Change, id: number): Promise<unknown>;
}

/**
 * Ids of an organization's records. The unary plus keeps SQLite from walking
 * through all records in the order of their ids for want of sorting a few.
 *
 * @param conditions for each, where one is enough. A literal status shows SQLite the index for it.
 */
export async function findIds(
  { transaction, organization }: Change,
  table: 'traffic_violations' | 'charges' | 'antt_violations',
  conditions: readonly RawBuilder<SqlBool>[],
  { after, limit }: Asked,
): Promise<readonly number[]> {
  const selections = conditions.map(
    (condition) =>
      sql`select id from ${sql.table(table)} where organization_id = ${organization} and ${condition} and +id > ${after}`,
  );
  const { rows } = await sql<{ readonly id: number }>`
    select id from (${sql.join(selections, sql` union `)}) order by id limit ${limit}`.execute(transaction);
  return rows.map(({ id }) => id);
}

/** What is to be paid by a day. */
interface Family {
  readonly table: 'traffic_violations' | 'charges' | 'antt_violations';
  move(this: void, change: Change, id: number, status: 'paid' | 'overdue'): Promise<unknown>;
}

const families: readonly Family[] = [
  { table: 'traffic_violations', move: moveTrafficViolation },
  { table: 'charges', move: moveCharge },
  { table: 'antt_violations', move: moveAnttViolation },
];

/**
 * Some is paid on its last day, the rest is overdue on the day after, and some of
 * that is paid late.
 */
export const dueDateTasks: readonly DailyTask[] = families.flatMap(turnsOf);

function turnsOf({ table, move }: Family): DailyTask[] {
  // By the record alone, so that neither batches nor nights change what becomes of it.
  const paidIf = async (change: Change, id: number, chance: Chance) => {
    if (drawFor(change.seed, `${table}:${String(id)}`).happens(chance)) await move(change, id, 'paid');
  };
  return [
    {
      find: (change, { since, today }, asked) =>
        findIds(
          change,
          table,
          [sql`status = 'pending' and due_date > ${since} and due_date <= ${today}`],
          asked,
        ),
      bring: (change, id) => paidIf(change, id, 'is paid on its last day'),
    },
    {
      // However long ago: whatever was added, or moved, since its last day.
      find: (change, { today }, asked) =>
        findIds(change, table, [sql`status = 'pending' and due_date < ${today}`], asked),
      bring: (change, id) => move(change, id, 'overdue'),
    },
    {
      find: (change, { since, today }, asked) => {
        const [first, last] = [addDays(since, -LATE_DAYS), addDays(today, -LATE_DAYS)];
        return findIds(
          change,
          table,
          [sql`status = 'overdue' and due_date > ${first} and due_date <= ${last}`],
          asked,
        );
      },
      bring: (change, id) => paidIf(change, id, 'is paid late'),
    },
  ];
}

/**
 * What a violation offered until yesterday and no longer does: indications, and
 * discounts, whose last day is its due date, or the deadline of the prior defense
 * for the larger one. What has just become overdue has told so already.
 */
export const closedWindowsTask: DailyTask = {
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
  bring: (change, id) => emitTrafficViolation(change, 'traffic-violation.updated', id),
};
