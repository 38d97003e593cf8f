/** What an erasure does in PostgreSQL's own way: the tables that have content, its locks and its key. */
import { sql } from 'kysely';
import type { ContentPlace } from '../../privacy.ts';
import {
  contentTables as shared,
  type ContentTable,
  type ContentTables,
} from '../../shared/privacy/content-tables.ts';
import { parseJson } from '../../../kernel/json/parse-json.ts';
import type { ErasureParts } from '../../shared/privacy/erased-marks.ts';
import { first, run } from '../../shared/sql/statements.ts';
import { partsOfState } from '../../state-phases.ts';
import { isOfDays } from '../events/content-days.ts';
import { inTransaction } from '../sql/perform.ts';
import { keyedBy, readErasureKey } from './keyed-digest.ts';
import { requireErasureLock } from './one-erasure.ts';

/**
 * Where the content is in PostgreSQL. Headers and bodies of events are in a table of their own, which has no row of
 * a pruned event. Rows of states and bases are numbered by a column.
 */
export const contentTables: Readonly<Record<ContentPlace, ContentTable>> = {
  ...shared,
  state: { ...shared.state, key: 'machine_states.id' },
  base: { ...shared.base, key: 'machine_bases.id' },
};

/** Returns the table that has a column of a place. */
export function tableOf(place: ContentPlace, column: string): string {
  if (place === 'event' && (column === 'headers' || column === 'body')) return 'event_contents';
  return contentTables[place].from.split(' ')[0] ?? '';
}

export const postgresContents: ContentTables = {
  tables: contentTables,
  tableOf,
  async joinContents(read, after, limit) {
    const rows = await read.rows(sql<{ at: number }>`
      select received_at as at from events where id > ${after} order by id limit ${limit}`);
    const times = rows.map(({ at }) => at);
    return sql`left join event_contents on event_contents.event_id = events.id
      and event_contents.received_at = events.received_at and ${isOfDays('event_contents.received_at', times)}`;
  },
  *isRow(place, table, row) {
    if (table !== 'event_contents') return sql`${sql.ref(contentTables[place].key)} = ${row}`;
    const event = yield* first(sql<{ at: number }>`select received_at as at from events where id = ${row}`);
    return sql`event_id = ${row} and received_at = ${event?.at ?? null}`;
  },
};

export const erasureParts: ErasureParts = {
  ...postgresContents,
  requireLock: () => inTransaction(({ session }) => requireErasureLock(session)),
  keyed: () => inTransaction(async ({ session }) => keyedBy(await readErasureKey(session))),
  *storePhases(machine, subjectId, state) {
    const phases = JSON.stringify(partsOfState(parseJson(state)));
    yield* run(sql`
      update machine_states set phases = ${phases} where machine = ${machine} and subject_id = ${subjectId}`);
  },
};
