/** Reads what a plan would change, in numbers. */
import { sql } from 'kysely';
import type { Plans } from '../../plans.ts';
import { deliveryConditions } from '../deliveries/delivery-conditions.ts';
import { createPredict } from '../events/predict.ts';
import { entryConditions } from '../quarantine/entry-conditions.ts';
import { recordColumns } from '../../shared/quarantine/quarantine-record.ts';
import { MAX_LANES, MAX_PROBLEMS, problemGroups } from '../../shared/jobs/problem-groups.ts';
import type { Connection } from '../sql/connection.ts';
import { anyOf } from '../sql/expressions.ts';

/** Each round of attempts ends once at most. A delivery that is dead now has ended one round without a retry. */
const retriedBefore = sql<number>`sum((select count(*) from attempts
  where delivery_id = deliveries.id and outcome = 'dead') > (deliveries.status = 'dead'))`;

/** Counts what an operator is about to change. */
export function createPlanReads(connection: Connection): Plans {
  const { query, ids } = connection;
  return {
    ...createPredict(connection),
    async countDeliveries(filter) {
      const selected = query
        .selectFrom('deliveries')
        .innerJoin('events', 'events.id', 'deliveries.event_id')
        .innerJoin('subjects', 'subjects.id', 'events.subject_id')
        .where((eb) => eb.and([...deliveryConditions(eb, filter, ids)]));
      const handlers = await selected
        .select(({ fn }) => [
          'deliveries.handler',
          fn.countAll<number>().as('deliveries'),
          fn.count<number>('deliveries.lane').distinct().as('lanes'),
          fn.min<number | null>('deliveries.finished_at').as('oldestAt'),
          retriedBefore.as('retriedBefore'),
        ])
        .groupBy('deliveries.handler')
        .orderBy('deliveries.handler')
        .execute();
      const lanes = await selected
        .select(({ fn }) => [
          'deliveries.handler',
          'subjects.family',
          'subjects.entity',
          fn.countAll<number>().as('deliveries'),
        ])
        .groupBy(['deliveries.handler', 'deliveries.lane', 'events.subject_id'])
        .orderBy('deliveries', 'desc')
        .orderBy('subjects.id')
        .limit(MAX_LANES)
        .execute();
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
      const row = await query
        .selectFrom('quarantine')
        .select(({ fn }) => fn.countAll<number>().as('entries'))
        .where((eb) => eb.and([...entryConditions(eb, filter)]))
        .executeTakeFirstOrThrow();
      return row.entries;
    },
    async problemGroups() {
      const groups = await query
        .selectFrom('quarantine')
        .select(({ fn }) => [
          'problem',
          fn.countAll<number>().as('entries'),
          fn.min('id').as('first'),
          fn.max('id').as('last'),
        ])
        .where('status', '=', sql.lit('held'))
        .groupBy('problem')
        .orderBy('last', 'desc')
        .limit(MAX_PROBLEMS)
        .execute();
      const wanted = groups.flatMap(({ first, last }) => [first, last]);
      const rows = await query
        .selectFrom('quarantine')
        .select(recordColumns)
        .where('id', 'in', anyOf(wanted))
        .execute();
      return problemGroups(groups, rows, ids);
    },
  };
}
