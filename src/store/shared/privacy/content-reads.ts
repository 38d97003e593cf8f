/** Reads the rows that may hold personal data, table by table. */
import { sql, type RawBuilder } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { ContentPlace, Privacy, StoredContent } from '../../privacy.ts';
import { machineNames } from '../machines/machine-reads.ts';
import type { Condition } from '../sql/dialect.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { type ContentTables, contentTables } from './content-tables.ts';
import { plainBytes } from '../events/event-record.ts';
import { rowId, type Ids } from '../ids.ts';

export function createContentReads(
  { read, dialect, ids }: SharedConnection,
  { tables, tableOf, joinContents }: ContentTables,
): Pick<Privacy, 'contents' | 'derivedContents' | 'runningErased'> {
  async function select(place: ContentPlace, condition: Condition, joined: RawBuilder<unknown> = sql``) {
    const { from, key } = tables[place];
    const rows = await read.rows(sql<ContentRow>`
      select ${columnsOf(place)} from ${sql.raw(from)} ${joined} where ${condition} order by ${sql.raw(key)}`);
    return rows.map((row) => storedContent(place, row, ids));
  }

  function columnsOf(place: ContentPlace): RawBuilder<unknown> {
    const { key, texts, body, about } = tables[place];
    return sql.join([
      sql`${sql.raw(key)} as row`,
      ...Object.entries(about).map(([name, expression]) => sql`${sql.raw(expression)} as ${sql.ref(name)}`),
      body ? sql`${column(place, 'body')} as body` : sql`null as body`,
      ...texts.map((name) => sql`${column(place, name)} as ${sql.ref(`text ${name}`)}`),
    ]);
  }

  function bytesOf(place: ContentPlace): RawBuilder<number> {
    const { texts, body } = tables[place];
    const names = [...texts, ...(body ? ['body'] : [])];
    return sql.join(
      names.map((name) => sql`coalesce(octet_length(${column(place, name)}), 0)`),
      sql` + `,
    );
  }

  function column(place: ContentPlace, name: string): RawBuilder<unknown> {
    return sql.ref(`${tableOf(place, name)}.${name}`);
  }

  return {
    async contents(place, { after, limit }) {
      const { from, key } = tables[place];
      const joined = place === 'event' ? await joinContents?.(read, after, limit) : undefined;
      // The sizes first: a page is held in memory.
      const sizes = await read.rows(sql<{ row: number; bytes: number }>`
        select ${sql.raw(key)} as row, ${bytesOf(place)} as bytes
        from ${sql.raw(from)} ${joined ?? sql``} where ${sql.raw(key)} > ${after} order by ${sql.raw(key)} limit ${limit}`);
      const last = lastOfPage(sizes);
      if (last === undefined) return [];
      return select(place, sql`${sql.raw(key)} > ${after} and ${sql.raw(key)} <= ${last}`, joined);
    },
    async derivedContents(eventId) {
      const event = ids.eventRow(eventId);
      if (event === undefined) throw new PortariaError('not-found', `there is no event ${eventId}`);
      const ofEvent: Condition = sql`deliveries.event_id = ${event}`;
      const subject = sql`(select subject_id from events where id = ${event})`;
      // The keys begin with the machine, so each name is looked up with the subject.
      const machines = await machineNames(read);
      const ofSubject = (table: string): Condition =>
        sql`${sql.ref(`${table}.subject_id`)} = ${subject} and ${dialect.isAnyOf(`${table}.machine`, machines, 'text')}`;
      return [
        ...(await select('delivery', ofEvent)),
        ...(await select('attempt', ofEvent)),
        ...(await select('state', ofSubject('machine_states'))),
        ...(await select('base', ofSubject('machine_bases'))),
        ...(await select('anomaly', ofSubject('anomalies'))),
      ];
    },
    async runningErased() {
      const row = await read.first(sql<{ running: number }>`
        select count(*) as running from deliveries join events on events.id = deliveries.event_id
        where ${dialect.hasStatus('running')} and events.flags like '%"erased"%'`);
      return row?.running ?? 0;
    },
  };
}

/** Returns the last row of a page; at least one row, however large. */
function lastOfPage(sizes: readonly { readonly row: number; readonly bytes: number }[]): number | undefined {
  let sum = 0;
  const full = sizes.find(({ bytes }) => {
    sum += bytes;
    return sum > MAX_PAGE_BYTES;
  });
  return (full ?? sizes.at(-1))?.row;
}

/** The bytes after which a page of rows ends: a page is held in memory. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** A row that may hold personal data, with a column `text <name>` for each of its texts. */
interface ContentRow extends Readonly<Record<string, unknown>> {
  readonly row: number;
  readonly source: string | null;
  readonly kind: string | null;
  readonly family: string | null;
  readonly entity: string | null;
  readonly at: number | null;
  readonly body: Uint8Array | null;
  readonly name: string | null;
}

function storedContent(place: ContentPlace, row: ContentRow, ids: Ids): StoredContent {
  const texts = contentTables[place].texts.map((name) => [name, row[`text ${name}`] as string | null]);
  return {
    place,
    row: row.row,
    id: idOf(place, row, ids),
    source: row.source,
    kind: row.kind,
    subject: row.family === null || row.entity === null ? null : { family: row.family, id: row.entity },
    at: row.at,
    body: row.body === null ? null : plainBytes(row.body),
    texts: Object.fromEntries(texts) as Record<string, string | null>,
  };
}

function idOf(place: ContentPlace, { row, name }: ContentRow, ids: Ids): string {
  switch (place) {
    case 'event':
      return ids.event(row);
    case 'quarantine':
      return rowId('q', row);
    case 'delivery':
      return rowId('d', row);
    case 'job':
      return rowId('j', row);
    default:
      return name ?? String(row);
  }
}
