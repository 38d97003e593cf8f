import { sql, type SqlBool } from 'kysely';
import type { EventFlag } from '../../event/parsed-event.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { settlements, type Settlement } from '../ambiguities.ts';
import type { Connection } from './connection.ts';
import { prepare, type Named } from './statement.ts';

/** Records what was found out about an ambiguous event. To be called inside a transaction. */
export type SettleAmbiguity = (eventId: string, found: Settlement, repeats: number) => Settlement;

export function createSettleAmbiguity({ database, query, ids }: Connection): SettleAmbiguity {
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
  const giveBack = prepare(database, (p: Named<{ id: number; subjectId: number }>) =>
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
      throw new PortariaError('invalid-argument', `there is nothing to settle about event ${eventId}`);
    const flags = JSON.parse(row.flags) as EventFlag[];
    const known = settlements.find((settlement) => flags.includes(settlement));
    if (known !== undefined) return known;
    const settlement = found === 'superseded' && (row.repeats ?? 0) !== repeats ? 'unconfirmed' : found;
    flag.run({ id, flags: JSON.stringify([...flags, settlement]) });
    if (settlement === 'superseded') giveBack.run({ id, subjectId: row.subjectId });
    return settlement;
  };
}

/** Of rows of `events`: flags are a JSON array of names. */
export const notSuperseded = sql<SqlBool>`events.flags not like '%"superseded"%'`;
