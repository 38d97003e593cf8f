/** Stores what became of an ambiguous event. */
import { sql, type SqlBool } from 'kysely';
import type { EventFlag } from '../../../event/event.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { resolutions, type Resolution } from '../../ambiguities.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare, type Named } from '../sql/statement.ts';

/** Records the resolution of an ambiguous event, as in `Ambiguities`. Called inside a transaction. */
export type ResolveAmbiguity = (eventId: string, found: Resolution, repeats: number) => Resolution;

export function createResolveAmbiguity({ database, query, ids }: Connection): ResolveAmbiguity {
  const find = prepare(database, (p: Named<{ id: number }>) =>
    query
      .selectFrom('events')
      .leftJoin('event_repeats', 'event_repeats.event_id', 'events.id')
      .select(['verdict', 'flags', 'repeats', 'subject_id as subjectId'])
      .where('events.id', '=', p.id),
  );
  const flag = prepare(database, (p: Named<{ id: number; flags: string }>) =>
    query.updateTable('events').set({ flags: p.flags }).where('id', '=', p.id),
  );
  const restoreLatest = prepare(database, (p: Named<{ id: number; subjectId: number }>) =>
    query
      .updateTable('subjects')
      .set((eb) => ({
        latest_event: eb
          .selectFrom('events')
          .select(({ fn }) => fn.max('events.id').as('before'))
          .where('events.subject_id', '=', p.subjectId)
          .where('events.id', '<', p.id)
          .where('events.verdict', '<>', 'stale')
          .where(notSuperseded),
      }))
      .where('id', '=', p.subjectId)
      .where('latest_event', '=', p.id),
  );

  return (eventId, found, repeats) => {
    const id = ids.eventRow(eventId);
    const row = id === undefined ? undefined : find.get({ id });
    if (id === undefined || row?.verdict !== 'ambiguous')
      throw new PortariaError('invalid-argument', `event ${eventId} is not ambiguous`);
    const flags = JSON.parse(row.flags) as EventFlag[];
    const known = resolutions.find((resolution) => flags.includes(resolution));
    if (known !== undefined) return known;
    const resolution = found === 'superseded' && (row.repeats ?? 0) !== repeats ? 'unconfirmed' : found;
    flag.run({ id, flags: JSON.stringify([...flags, resolution]) });
    if (resolution === 'superseded') restoreLatest.run({ id, subjectId: row.subjectId });
    return resolution;
  };
}

/** The condition that a row of `events` was not superseded; `flags` is a JSON array of names. */
export const notSuperseded = sql<SqlBool>`events.flags not like '%"superseded"%'`;
