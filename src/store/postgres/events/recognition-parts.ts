/** What the recognition of an event does in PostgreSQL's own way: locks of subjects and lanes, and counts. */
import { sql } from 'kysely';
import type { RecognitionParts } from '../../shared/events/recognize.ts';
import { OTHER_KINDS } from '../../shared/statistics/count-classes.ts';
import { Collision } from '../database/connections/store-error.ts';
import { enqueue } from '../deliveries/enqueue.ts';
import { keyedBy, readErasureKey } from '../privacy/keyed-digest.ts';
import { inTransaction } from '../sql/perform.ts';
import { lockLanes } from '../deliveries/lanes.ts';
import { lockArrivals } from './lock-arrivals.ts';

export const recognitionParts: RecognitionParts = {
  subjectOf: (event, routes) =>
    inTransaction(async ({ session, counts }) => {
      const keyed = keyedBy(await readErasureKey(session));
      const [subject] = await lockArrivals(session, [{ event, routes }], { keyed, waits: true });
      if (subject === undefined) throw new Collision('a subject was locked meanwhile');
      if (subject.isNew) counts.rowsStored('subjects', 1);
      return subject;
    }),
  enqueue: (deliveries, now) =>
    inTransaction(async (transaction) => {
      const handlers = deliveries.flatMap(({ handler, order }) => (order === 'handler' ? [handler] : []));
      await lockLanes(transaction.session, { subjects: [], handlers });
      return enqueue(transaction, deliveries, now);
    }),
  recognized: ({ kind, delivery }, { from, to }) =>
    inTransaction(async ({ session, counts }) => {
      const own = await session.first(sql`select 1 from counted_kinds where kind = ${kind}`);
      counts.eventMoved(
        { kind: own === undefined ? OTHER_KINDS : kind, recognized: 0, verdict: from },
        { kind, recognized: 1, verdict: to },
        delivery.receivedAt,
      );
    }),
};
