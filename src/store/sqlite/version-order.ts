import { sql, type SqlBool } from 'kysely';
import type { MachineStates, VersionOrder } from '../machine-states.ts';
import { anyOf } from './any-of.ts';
import type { Connection } from './connection.ts';
import { notSuperseded } from './settle-ambiguity.ts';
import { subjectRow } from './subject-row.ts';

interface PlacedRow {
  readonly id: number;
  readonly highest: string | null;
}

/**
 * SQLite sorts a hundred thousand events in a fraction of the time that it
 * takes to hand them over, and only their numbers leave it.
 */
export function createVersionOrder({
  database,
  query,
  ids,
}: Connection): Pick<MachineStates, 'versionOrder' | 'eventBefore'> {
  const history = (source: string, subject: Parameters<typeof subjectRow>[2]) =>
    query
      .selectFrom('events')
      .where('subject_id', '=', subjectRow(query, source, subject))
      .where('body', 'is not', null)
      .where(notSuperseded);

  return {
    async versionOrder({ source, subject, kinds, through, event }): Promise<VersionOrder> {
      let logged = history(source, subject).select(['events.id', 'events.version']);
      if (through !== undefined) logged = logged.where('events.id', '<=', ids.eventRow(through) ?? 0);
      if (kinds !== undefined) logged = logged.where('recognized', '=', 1).where('kind', 'in', anyOf(kinds));
      const joined =
        event === undefined
          ? logged
          : logged.union(
              sql<{
                id: number;
                version: string | null;
              }>`select ${ids.eventRow(event.id) ?? 0}, ${event.version}`,
            );
      const placed = query
        .selectFrom(joined.as('history'))
        .select([
          'id',
          'version',
          sql<string | null>`max(version) over (order by id)`.as('until_then'),
          sql<string | null>`max(version) over ()`.as('highest'),
        ]);
      const { sql: text, parameters } = query
        .selectFrom(placed.as('placed'))
        .select(['id', 'highest'])
        .orderBy(sql`coalesce(version, until_then, '')`)
        .orderBy('id')
        .compile();
      const rows = database.prepare<unknown[], PlacedRow>(text).all(...parameters);
      return { events: Float64Array.from(rows, (row) => row.id), version: rows[0]?.highest ?? null };
    },
    async eventBefore(source, subject, eventId) {
      const row = await history(source, subject)
        .select(({ fn }) => fn.max<number | null>('events.id').as('id'))
        .where(sql<SqlBool>`events.id < ${ids.eventRow(eventId) ?? 0}`)
        .executeTakeFirst();
      return row?.id == null ? null : ids.event(row.id);
    },
  };
}
