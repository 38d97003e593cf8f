import { sql } from 'kysely';
import { moveAnttViolation } from '../antt-violations/move-antt-violation.ts';
import { addDays } from '../brazilian-day.ts';
import type { Change } from '../change.ts';
import { moveCharge } from '../charges/change-charge.ts';
import { drawFor } from '../scenario/draw.ts';
import { LATE_DAYS, type Chance } from '../scenario/pace-and-odds.ts';
import { moveTrafficViolation } from '../traffic-violations/change-traffic-violation.ts';
import { findIds, type NightTurn } from './night.ts';

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
export const dueDateTurns: readonly NightTurn[] = families.flatMap(turnsOf);

function turnsOf({ table, move }: Family): NightTurn[] {
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
