/** Reads what a plan would change, in numbers. */
import { sql } from 'kysely';
import type { PlannedHandler, Plans, ProblemGroup } from '../../plans.ts';
import { deliveryConditions } from '../deliveries/delivery-conditions.ts';
import {
  entryConditions,
  selectEntries,
  quarantineRecord,
  type EntryRow,
} from '../quarantine/quarantine-reads.ts';
import type { SharedConnection } from '../sql/connection.ts';
import type { RejectionReason } from '../../../event/delivery.ts';
import type { Ids } from '../ids.ts';

/** Each round of attempts ends once at most. A delivery that is dead now has ended one round without a retry. */
const wasRetried = sql`(select count(*) from attempts
  where delivery_id = deliveries.id and outcome = 'dead') > (case deliveries.status when 'dead' then 1 else 0 end)`;

interface LaneRow {
  readonly handler: string;
  readonly family: string;
  readonly entity: string;
  readonly deliveries: number;
}

/** Counts what an operator is about to change. */
type PlanReads = Pick<Plans, 'lastAttempt' | 'countDeliveries' | 'countEntries' | 'problemGroups'>;

export function createPlanReads({ read, dialect, ids }: SharedConnection): PlanReads {
  return {
    async lastAttempt() {
      const row = await read.first(sql<{ last: number | null }>`select max(id) as last from attempts`);
      return row?.last ?? 0;
    },
    async countDeliveries(filter) {
      const selected = sql`
        from deliveries
        join events on events.id = deliveries.event_id
        join subjects on subjects.id = events.subject_id
        where ${deliveryConditions(filter, ids, dialect)}`;
      const handlers = await read.rows(
        sql<PlannedHandler>`
          select deliveries.handler, count(*) as deliveries, count(distinct deliveries.lane) as lanes,
            min(deliveries.finished_at) as "oldestAt", count(*) filter (where ${wasRetried}) as "retriedBefore"
          ${selected} group by deliveries.handler order by deliveries.handler`,
      );
      const lanes = await read.rows(
        sql<LaneRow>`
          select deliveries.handler, subjects.family, subjects.entity, count(*) as deliveries
          ${selected} group by deliveries.handler, deliveries.lane, subjects.id
          order by deliveries desc, subjects.id limit ${MAX_LANES}`,
      );
      return {
        handlers,
        lanes: lanes.map(({ handler, family, entity, deliveries }) => ({
          handler,
          subject: { family, id: entity },
          deliveries,
        })),
      };
    },
    async countEntries(filter) {
      const row = await read.first(
        sql<{
          entries: number;
        }>`select count(*) as entries from quarantine where ${entryConditions(filter, dialect)}`,
      );
      return row?.entries ?? 0;
    },
    async problemGroups() {
      const problems = await read.rows(
        sql<CountedProblem>`
          select problem, count(*) as entries, min(id) as first, max(id) as last,
            count(distinct subject) as subjects, sum(repeats) as repeats,
            max(coalesce(last_repeat_at, received_at)) as last_at
          from quarantine
          where status = 'held' group by problem order by last desc limit ${MAX_PROBLEMS}`,
      );
      const wanted = problems.flatMap(({ first, last }) => [first, last]);
      const rows = await read.rows(
        sql<EntryRow>`${selectEntries} where ${dialect.isAnyOf('id', wanted, 'bigint')}`,
      );
      return problemGroups(problems, rows, ids);
    },
  };
}

/** Lanes that a plan names, at most. */
const MAX_LANES = 10;

/** Problems that are listed, at most. */
const MAX_PROBLEMS = 200;

/** Held entries with the same problem, by the row numbers of the oldest and the newest. */
interface CountedProblem {
  readonly problem: string;
  readonly entries: number;
  readonly first: number;
  readonly last: number;
  readonly subjects: number;
  readonly repeats: number;
  readonly last_at: number;
}

/** @param rows the oldest and the newest entries of the problems */
function problemGroups(
  problems: readonly CountedProblem[],
  rows: readonly EntryRow[],
  ids: Ids,
): readonly ProblemGroup[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return problems.flatMap(({ first, last, last_at: lastAt, ...counted }) => {
    const [oldest, newest] = [byId.get(first), byId.get(last)];
    if (oldest === undefined || newest === undefined) return [];
    return [
      {
        ...counted,
        reason: newest.reason as RejectionReason,
        firstAt: oldest.received_at,
        lastAt,
        sample: quarantineRecord(newest, ids),
      },
    ];
  });
}
