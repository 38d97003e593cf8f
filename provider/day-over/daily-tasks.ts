/** The tasks of midnight. */
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { moveAnttViolation } from '../antt-violations/change-antt-violation.ts';
import { addDays } from '../brazilian-day.ts';
import type { Change } from '../change.ts';
import { moveCharge } from '../charges/change-charge.ts';
import { drawFor, LATE_DAYS, type Chance } from '../scenario/pace-and-odds.ts';
import {
  emitTrafficViolation,
  moveTrafficViolation,
} from '../traffic-violations/change-traffic-violation.ts';

/** The change from one day to the next, or over several days after the provider was stopped. */
export interface DayChange {
  /** The last day that all tasks have processed, `YYYY-MM-DD`. */
  readonly since: string;
  /** The day that has begun, `YYYY-MM-DD`. */
  readonly today: string;
}

/** The part of a task's records to process next. */
export interface Batch {
  /** Only records with a greater id. */
  readonly after: number;
  readonly limit: number;
}

/** Something that a change of day does to some records of an organization. */
export interface DailyTask {
  /** Finds the ids of the next records, ascending. */
  find(change: Change, days: DayChange, batch: Batch): Promise<readonly number[]>;
  /** Processes one of these records. */
  apply(change: Change, id: number): Promise<unknown>;
}

/** Records that have to be paid by a due date. */
interface PayableFamily {
  readonly table: 'traffic_violations' | 'charges' | 'antt_violations';
  move(this: void, change: Change, id: number, status: 'paid' | 'overdue'): Promise<unknown>;
}

const payableFamilies: readonly PayableFamily[] = [
  { table: 'traffic_violations', move: moveTrafficViolation },
  { table: 'charges', move: moveCharge },
  { table: 'antt_violations', move: moveAnttViolation },
];

/**
 * Some records are paid on their due date. The others become overdue on the day
 * after it, and some of these are paid late.
 */
function dueDateTasks({ table, move }: PayableFamily): DailyTask[] {
  // The draw depends on the record alone: batches and skipped days do not change the result.
  const payIf = async (change: Change, id: number, chance: Chance) => {
    if (drawFor(change.seed, `${table}:${String(id)}`).happens(chance)) await move(change, id, 'paid');
  };
  return [
    {
      find: (change, { since, today }, batch) =>
        findIds(
          change,
          table,
          [sql`status = 'pending' and due_date > ${since} and due_date <= ${today}`],
          batch,
        ),
      apply: (change, id) => payIf(change, id, 'is paid on its last day'),
    },
    {
      // Without a lower bound: a record may be added, or become pending, after its due date.
      find: (change, { today }, batch) =>
        findIds(change, table, [sql`status = 'pending' and due_date < ${today}`], batch),
      apply: (change, id) => move(change, id, 'overdue'),
    },
    {
      find: (change, { since, today }, batch) => {
        const [first, last] = [addDays(since, -LATE_DAYS), addDays(today, -LATE_DAYS)];
        return findIds(
          change,
          table,
          [sql`status = 'overdue' and due_date > ${first} and due_date <= ${last}`],
          batch,
        );
      },
      apply: (change, id) => payIf(change, id, 'is paid late'),
    },
  ];
}

/**
 * Emits `traffic-violation.updated` for violations that lost an option yesterday:
 * indications end with their deadline, discounts with the due date, the larger
 * discount with the deadline of the prior defense. Violations that have just
 * become overdue have emitted the webhook already.
 */
const endedOptionsTask: DailyTask = {
  find: (change, { since, today }, batch) =>
    findIds(
      change,
      'traffic_violations',
      [
        sql`status in ('pending', 'citation') and indication_deadline >= ${since} and indication_deadline < ${today}`,
        sql`payable = 1 and preliminary_appeal_deadline >= ${since} and preliminary_appeal_deadline < ${today}
          and due_date >= ${today}`,
        sql`payable = 1 and status <> 'overdue' and due_date >= ${since} and due_date < ${today}`,
      ],
      batch,
    ),
  apply: (change, id) => emitTrafficViolation(change, 'traffic-violation.updated', id),
};

/** The tasks of a change of day, in the order in which they run. */
export const dailyTasks: readonly DailyTask[] = [...payableFamilies.flatMap(dueDateTasks), endedOptionsTask];

/**
 * Finds ids of an organization's records that match one of the conditions. The
 * unary plus keeps SQLite from scanning the whole table in order of ids.
 *
 * @param conditions with literal statuses, so that SQLite can choose a partial index.
 */
async function findIds(
  { transaction, organization }: Change,
  table: 'traffic_violations' | 'charges' | 'antt_violations',
  conditions: readonly RawBuilder<SqlBool>[],
  { after, limit }: Batch,
): Promise<readonly number[]> {
  const selections = conditions.map(
    (condition) =>
      sql`select id from ${sql.table(table)} where organization_id = ${organization} and ${condition} and +id > ${after}`,
  );
  const { rows } = await sql<{ readonly id: number }>`
    select id from (${sql.join(selections, sql` union `)}) order by id limit ${limit}`.execute(transaction);
  return rows.map(({ id }) => id);
}
