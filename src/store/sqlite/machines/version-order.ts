/** Reads the events of a subject in the order of their versions. */
import { sql, type SqlBool } from 'kysely';
import { highestVersion, inVersionOrder } from '../../../event/version-order.ts';
import type { MachineStates, VersionOrder } from '../../machine-states.ts';
import { notSuperseded } from '../events/store-resolution.ts';
import { subjectRow } from '../events/subjects.ts';
import type { Connection } from '../sql/connection.ts';
import { anyOf } from '../sql/expressions.ts';
import { rowsNow } from '../sql/statement.ts';

interface NumberedEvent {
  readonly id: number;
  readonly version: string | null;
  /** 1 when the body is pruned. */
  readonly pruned: number;
}

/** Reads histories in version order, as numbers alone: there may be a hundred thousand events. */
export function createVersionOrder({
  database,
  query,
  ids,
}: Connection): Pick<MachineStates, 'versionOrder' | 'eventBefore'> {
  const history = (source: string, subject: Parameters<typeof subjectRow>[2]) => {
    // Reading in table order takes a third of the time: neighbours share a page.
    const logged = query
      .selectFrom('events')
      .select('events.id')
      .where('subject_id', '=', subjectRow(query, source, subject))
      .orderBy('events.id')
      // The limit keeps SQLite from dropping the order when it joins.
      .limit(sql.lit(-1));
    return query
      .selectFrom(logged.as('logged'))
      .innerJoin('events', (join) => join.on(sql<SqlBool>`events.id = +logged.id`))
      .where(notSuperseded);
  };

  return {
    async versionOrder({ source, subject, kinds, through, event }): Promise<VersionOrder> {
      let matching = history(source, subject).select([
        'events.id',
        'events.version',
        sql<number>`(events.body is null)`.as('pruned'),
      ]);
      if (through !== undefined) matching = matching.where('events.id', '<=', ids.eventRow(through) ?? 0);
      if (kinds !== undefined)
        matching = matching.where('recognized', '=', 1).where('kind', 'in', anyOf(kinds));
      const logged = rowsNow<NumberedEvent>(database, matching);
      const arrived = withEvent(
        logged,
        event && { id: ids.eventRow(event.id) ?? 0, version: event.version, pruned: 0 },
      );
      const ordered = inVersionOrder(arrived);
      const row = rowsNow(
        database,
        query
          .selectFrom('subjects')
          .select('erased')
          .where('id', '=', subjectRow(query, source, subject)),
      )[0];
      return {
        events: Float64Array.from(ordered, ({ id }) => id),
        version: highestVersion(ordered),
        erased: row?.erased ?? 0,
        prunedThrough: ordered.findLastIndex(({ pruned }) => pruned === 1) + 1,
      };
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

/** Adds an event, unless it is there, and sorts by arrival. */
function withEvent(logged: NumberedEvent[], added: NumberedEvent | undefined): readonly NumberedEvent[] {
  if (added !== undefined && !logged.some(({ id }) => id === added.id)) logged.push(added);
  return logged.sort((one, other) => one.id - other.id);
}
