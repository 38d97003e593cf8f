/** Reads what a plan would change, in numbers. */
import { sql } from 'kysely';
import type { PlannedHandler, Plans } from '../../plans.ts';
import {
  MAX_LANES,
  MAX_PROBLEMS,
  problemGroups,
  type CountedProblem,
} from '../../shared/jobs/problem-groups.ts';
import { recordColumns } from '../../shared/quarantine/quarantine-record.ts';
import { deliveryConditions } from '../deliveries/delivery-conditions.ts';
import { createPredict } from '../events/predict.ts';
import { entryConditions } from '../quarantine/quarantine-reads.ts';
import type { Connection } from '../sql/connection.ts';
import { isAnyOf } from '../sql/expressions.ts';

/** Each round of attempts ends once at most. A delivery that is dead now has ended one round without a retry. */
const wasRetried = sql`(select count(*) from attempts
  where delivery_id = deliveries.id and outcome = 'dead') > (deliveries.status = 'dead')::integer`;

interface LaneRow {
  readonly handler: string;
  readonly family: string;
  readonly entity: string;
  readonly deliveries: number;
}

/** Counts what an operator is about to change. */
export function createPlanReads(connection: Connection): Plans {
  const { query, read, ids } = connection;
  return {
    ...createPredict(connection),
    async countDeliveries(filter) {
      const selected = sql`
        from deliveries
        join events on events.id = deliveries.event_id
        join subjects on subjects.id = events.subject_id
        where ${deliveryConditions(filter, ids)}`;
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
        query
          .selectFrom('quarantine')
          .select(({ fn }) => fn.countAll<number>().as('entries'))
          .where((eb) => eb.and([...entryConditions(eb, filter)])),
      );
      return row?.entries ?? 0;
    },
    async problemGroups() {
      const problems = await read.rows(
        sql<CountedProblem>`
          select problem, count(*) as entries, min(id) as first, max(id) as last from quarantine
          where status = 'held' group by problem order by last desc limit ${MAX_PROBLEMS}`,
      );
      const wanted = problems.flatMap(({ first, last }) => [first, last]);
      const rows = await read.rows(
        query
          .selectFrom('quarantine')
          .select(recordColumns)
          .where(isAnyOf('id', wanted, 'bigint')),
      );
      return problemGroups(problems, rows, ids);
    },
  };
}
