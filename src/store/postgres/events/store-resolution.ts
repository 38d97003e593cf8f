/** Records how ambiguous events were resolved. */
import { sql } from 'kysely';
import type { EventFlag } from '../../../event/event.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { resolutions, type Ambiguities, type Resolution } from '../../ambiguities.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { lockLanes } from '../deliveries/lanes.ts';
import type { Connection } from '../sql/connection.ts';
import type { Session } from '../sql/session.ts';

export function createAmbiguities({ transactLanes, ids }: Connection): Ambiguities {
  return {
    resolveAmbiguity: (eventId, found, repeats) =>
      transactLanes(async (transaction) => {
        const id = ids.eventRow(eventId);
        const resolution =
          id === undefined ? undefined : await resolveAmbiguity(transaction, id, { found, repeats });
        if (resolution === undefined)
          throw new PortariaError('invalid-argument', `event ${eventId} is not ambiguous`);
        return resolution;
      }),
  };
}

/**
 * Records the resolution of an ambiguous event. The lock on its subject keeps repeats of the event out until the
 * commit.
 *
 * @returns the recorded resolution; undefined for an event that is not ambiguous
 */
async function resolveAmbiguity(
  { session }: Transaction,
  id: number,
  { found, repeats }: { readonly found: Resolution; readonly repeats: number },
): Promise<Resolution | undefined> {
  const event = await session.first(
    sql<{ subjectId: number }>`select subject_id as "subjectId" from events where id = ${id}`,
  );
  if (event === undefined) return undefined;
  await lockLanes(session, { subjects: [event.subjectId], handlers: [] });
  const row = await session.first(sql<{ verdict: string; flags: string; repeats: number }>`
    select verdict, flags, coalesce((select repeats from event_repeats where event_id = events.id), 0) as repeats
    from events where id = ${id}`);
  if (row?.verdict !== 'ambiguous') return undefined;
  const flags = JSON.parse(row.flags) as EventFlag[];
  const known = resolutions.find((resolution) => flags.includes(resolution));
  if (known !== undefined) return known;
  const resolution = found === 'superseded' && row.repeats !== repeats ? 'unconfirmed' : found;
  await session.run(sql`
    update events set flags = ${JSON.stringify([...flags, resolution])} where id = ${id}`);
  if (resolution === 'superseded') await restoreLatest(session, id, event.subjectId);
  return resolution;
}

/** Makes the event before a superseded one the latest again. */
async function restoreLatest(session: Session, id: number, subjectId: number): Promise<void> {
  await session.run(sql`
    update subjects set latest_event = (
      select max(before.id) from events as before
      where before.subject_id = ${subjectId} and before.id < ${id} and before.verdict <> 'stale'
        and before.flags not like '%"superseded"%'
    )
    where id = ${subjectId} and latest_event = ${id}`);
}
