/** What a job does in PostgreSQL's own way: it locks lanes before it changes their deliveries. */
import { sql } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { ReplayDeliveries } from '../../replays.ts';
import type { Ids } from '../../shared/ids.ts';
import type { JobParts } from '../../shared/jobs/job-steps.ts';
import { replayGroups } from '../../shared/replays/replay-events.ts';
import { run } from '../../shared/sql/statements.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { deliveryChanges, deliveryParts } from '../deliveries/change-deliveries.ts';
import { enqueue } from '../deliveries/enqueue.ts';
import { lockLanes } from '../deliveries/lanes.ts';
import { prunedAt } from '../retention/pruned-at.ts';
import { isAnyOf } from '../sql/expressions.ts';
import { inTransaction } from '../sql/perform.ts';
import type { Session } from '../sql/session.ts';

interface EventRow {
  readonly id: number;
  readonly subjectId: number;
  readonly verdict: string;
  readonly prunedAt: number | null;
}

export function createJobParts({ ids }: { readonly ids: Ids }): JobParts<ReplayDeliveries> {
  return {
    ...deliveryChanges,
    lockLanesOf: deliveryParts.lockLanesOf,
    enqueueEvents: (replayId, deliveries, now) =>
      inTransaction((transaction) =>
        enqueueEvents(transaction, { replayId, groups: replayGroups(deliveries), now, ids }),
      ),
    *countReplayed(replayId, status, events) {
      yield* run(sql`
        insert into replay_counts (replay_id, status, deliveries) values (${replayId}, ${status}, ${events})`);
    },
  };
}

interface EnqueuedReplay {
  readonly replayId: number;
  /** The deliveries of a handler each, in lane order. */
  readonly groups: readonly ReplayDeliveries[];
  readonly now: number;
  readonly ids: Ids;
}

/**
 * Stores the deliveries of a replay at the end of their lanes, except those stored before and those of pruned events.
 * The caller keeps the contents of events (KEEP_CONTENTS).
 *
 * @throws PortariaError `not-found` for an unknown event
 */
async function enqueueEvents(
  transaction: Transaction,
  { replayId, groups, now, ids }: EnqueuedReplay,
): Promise<void> {
  const wanted = [...new Set(groups.flatMap(({ events }) => events))];
  if (wanted.length === 0) return;
  const { session } = transaction;
  const found = await readEvents(session, wanted);
  const unknown = wanted.find((id) => !found.has(id));
  if (unknown !== undefined) throw new PortariaError('not-found', `there is no event ${ids.event(unknown)}`);
  const oneByOne = groups.filter(({ route }) => route.order === 'handler');
  const ofSubjects = groups.filter(({ route }) => route.order === 'subject').flatMap(({ events }) => events);
  await lockLanes(session, {
    subjects: ofSubjects.flatMap((id) => found.get(id)?.subjectId ?? []),
    handlers: oneByOne.map(({ route }) => route.handler),
  });
  const deliveries = groups.flatMap(({ route, events }) =>
    events.flatMap((id) => {
      const event = found.get(id);
      if (event === undefined || event.prunedAt !== null) return [];
      const { handler, order } = route;
      const delivery = { eventId: id, subjectId: event.subjectId, handler, order, replayId };
      return event.verdict === 'stale' && !route.stale ? [{ ...delivery, skip: 'stale' }] : [delivery];
    }),
  );
  await enqueue(transaction, deliveries, now);
}

async function readEvents(session: Session, ids: readonly number[]): Promise<ReadonlyMap<number, EventRow>> {
  const rows = await session.rows(
    sql<EventRow>`
      select id, subject_id as "subjectId", verdict, ${prunedAt} as "prunedAt" from events
      where ${isAnyOf('id', ids, 'bigint')}`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}
