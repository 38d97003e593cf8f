import { sql } from 'kysely';
import type { EventRecord } from '../../../event/stored-event.ts';
import { anyOf } from '../sql/any-of.ts';
import type { Connection } from '../sql/connection.ts';
import { bodyText, eventColumns, eventRecord } from './event-record.ts';

/** An event whose payload nobody has parsed yet. */
export interface StoredBody {
  readonly record: EventRecord;
  readonly body: string | null;
}

/** Bodies are taken over in the event loop of whoever asked: a message of so many bytes takes a millisecond. */
const MAX_BYTES = 512 * 1024;

/** Some of the wanted events, and how many of the wanted ids they answer. */
export interface StoredBodies {
  readonly found: readonly StoredBody[];
  readonly answered: number;
}

/** The first of these events whose bodies fit into a message; one at least. */
export type ReadStoredBodies = (wanted: readonly string[]) => Promise<StoredBodies>;

export function createStoredBodies({ query, ids }: Connection): ReadStoredBodies {
  const chosen = (rows: readonly number[]) =>
    query.selectFrom('events').where('events.id', 'in', anyOf(rows)).where('events.body', 'is not', null);

  /** How many of the rows, in their order, have bodies that fit. */
  async function fitting(rows: readonly number[]): Promise<number> {
    const sizes = await chosen(rows)
      .select(['events.id', sql<number>`length(events.body)`.as('bytes')])
      .execute();
    const bytes = new Map(sizes.map((row) => [row.id, row.bytes]));
    let sum = 0;
    const at = rows.findIndex((row, place) => {
      sum += bytes.get(row) ?? 0;
      return sum > MAX_BYTES && place > 0;
    });
    return at === -1 ? rows.length : at;
  }

  return async (wanted) => {
    const all = wanted.map((id) => ids.eventRow(id) ?? 0);
    const rows = all.slice(0, await fitting(all));
    const read = await chosen(rows)
      .innerJoin('subjects', 'subjects.id', 'events.subject_id')
      .select(eventColumns)
      .select(bodyText.as('body'))
      .execute();
    const found = new Map(read.map((row) => [row.event_id, row]));
    return {
      answered: rows.length,
      found: rows.flatMap((id) => {
        const row = found.get(id);
        return row === undefined ? [] : [{ record: eventRecord(row, ids), body: row.body }];
      }),
    };
  };
}
