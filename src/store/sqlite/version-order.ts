import { sql, type SqlBool } from 'kysely';
import type { MachineStates, VersionOrder } from '../machine-states.ts';
import { anyOf } from './any-of.ts';
import type { Connection } from './connection.ts';
import { notSuperseded } from './settle-ambiguity.ts';
import { subjectRow } from './subject-row.ts';

type PlacedRow = readonly [id: number, version: string | null];

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
      let logged = history(source, subject).select(['events.id', 'events.version']);
      if (through !== undefined) logged = logged.where('events.id', '<=', ids.eventRow(through) ?? 0);
      if (kinds !== undefined) logged = logged.where('recognized', '=', 1).where('kind', 'in', anyOf(kinds));
      const { sql: text, parameters } = logged.compile();
      const rows = database.prepare(text).raw().all(parameters) as PlacedRow[];
      return inVersionOrder(rows, event && [ids.eventRow(event.id) ?? 0, event.version]);
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

/** @param joined may be among them */
function inVersionOrder(rows: PlacedRow[], joined: PlacedRow | undefined): VersionOrder {
  if (joined !== undefined && !rows.some(([id]) => id === joined[0])) rows.push(joined);
  rows.sort(([one], [other]) => one - other);
  let highest: string | null = null;
  const placed = rows.map(([id, version]) => {
    if (version !== null && (highest === null || version > highest)) highest = version;
    return { id, version: version ?? highest ?? '' };
  });
  // A sort keeps the order of arrival among equal versions.
  placed.sort((one, other) => {
    if (one.version === other.version) return 0;
    return one.version < other.version ? -1 : 1;
  });
  return { events: Float64Array.from(placed, ({ id }) => id), version: highest };
}
