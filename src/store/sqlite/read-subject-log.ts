import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { sql, type SqlBool } from 'kysely';
import type { LoggedEvent } from '../machine-states.ts';
import type { Connection } from './connection.ts';
import { notSuperseded } from './settle-ambiguity.ts';

/** Rows that are read before others get a turn: some twenty milliseconds. */
const PAGE = 5_000;

/**
 * The events of a subject that have a payload and were not superseded, in arrival order. They are read
 * in the order of their index, which costs no sorting page by page, and sorted
 * in the end.
 *
 * @param through the last row that counts
 */
export async function readSubjectLog(
  { query, ids }: Pick<Connection, 'query' | 'ids'>,
  subject: number,
  through: number,
): Promise<readonly LoggedEvent[]> {
  const found: { readonly row: number; readonly event: LoggedEvent }[] = [];
  for (let last = { digest_key: -1, id: 0 }; ; await turnOfTheLoop()) {
    const page = await query
      .selectFrom('events')
      .select(['id', 'digest_key', 'kind', 'recognized', 'version'])
      .where('subject_id', '=', subject)
      .where('id', '<=', through)
      .where('body', 'is not', null)
      .where(notSuperseded)
      .where(sql<SqlBool>`(digest_key, id) > (${last.digest_key}, ${last.id})`)
      .orderBy('digest_key')
      .orderBy('id')
      .limit(PAGE)
      .execute();
    for (const { id, kind, recognized, version } of page) {
      found.push({ row: id, event: { id: ids.event(id), kind, recognized: recognized === 1, version } });
    }
    const end = page.at(-1);
    if (end === undefined || page.length < PAGE) break;
    last = end;
  }
  return found.sort((one, other) => one.row - other.row).map(({ event }) => event);
}
