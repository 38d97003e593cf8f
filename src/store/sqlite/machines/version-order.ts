import { sql, type SqlBool } from 'kysely';
import { highestVersion, inVersionOrder } from '../../../event/version-order.ts';
import type { MachineStates, VersionOrder } from '../../machine-states.ts';
import { anyOf } from '../sql/any-of.ts';
import type { Connection } from '../sql/connection.ts';
import { notSuperseded } from '../events/resolve-ambiguity.ts';
import { subjectRow } from '../events/subject-row.ts';

interface NumberedEvent {
  readonly id: number;
  readonly version: string | null;
}

/** Histories in version order, of which only numbers leave: there may be a hundred thousand. */
export function createVersionOrder({
  database,
  query,
  ids,
}: Connection): Pick<MachineStates, 'versionOrder' | 'eventBefore'> {
  const history = (source: string, subject: Parameters<typeof subjectRow>[2]) => {
    // Looked up in the order of the table, neighbours share a page: a third of the time.
    const logged = query
      .selectFrom('events')
      .select('events.id')
      .where('subject_id', '=', subjectRow(query, source, subject))
      .orderBy('events.id')
      // Keeps SQLite from joining without the order.
      .limit(sql.lit(-1));
    return query
      .selectFrom(logged.as('logged'))
      .innerJoin('events', (join) => join.on(sql<SqlBool>`events.id = +logged.id`))
      .where('body', 'is not', null)
      .where(notSuperseded);
  };

  return {
    async versionOrder({ source, subject, kinds, through, event }): Promise<VersionOrder> {
      let matching = history(source, subject).select(['events.id', 'events.version']);
      if (through !== undefined) matching = matching.where('events.id', '<=', ids.eventRow(through) ?? 0);
      if (kinds !== undefined)
        matching = matching.where('recognized', '=', 1).where('kind', 'in', anyOf(kinds));
      const { sql: text, parameters } = matching.compile();
      const logged = database.prepare<unknown[], NumberedEvent>(text).all(...parameters);
      const arrived = joined(logged, event && { id: ids.eventRow(event.id) ?? 0, version: event.version });
      const ordered = inVersionOrder(arrived);
      return { events: Float64Array.from(ordered, ({ id }) => id), version: highestVersion(ordered) };
    },
    async eventBefore(source, subject, eventId) {
      const row = await history(source, subject)
        .select(({ fn }) => fn.max<number | null>('events.id').as('id'))
        .where('events.id', '<', ids.eventRow(eventId) ?? 0)
        .executeTakeFirst();
      return row?.id == null ? null : ids.event(row.id);
    },
  };
}

/** Events in the order they arrived. @param joining may be among the logged ones */
function joined(logged: NumberedEvent[], joining: NumberedEvent | undefined): readonly NumberedEvent[] {
  if (joining !== undefined && !logged.some(({ id }) => id === joining.id)) logged.push(joining);
  return logged.sort((one, other) => one.id - other.id);
}
