/** Stored content that may hold personal data, as a page of rows. */
import type { ContentPlace, StoredContent } from '../../privacy.ts';
import { contentTables } from './content-tables.ts';
import { plainBytes } from '../events/event-record.ts';
import { rowId, type Ids } from '../ids.ts';

/** The bytes after which a page of rows ends: a page is held in memory. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** A row that may hold personal data, with a column `text <name>` for each of its texts. */
export interface ContentRow extends Readonly<Record<string, unknown>> {
  readonly row: number;
  readonly source: string | null;
  readonly kind: string | null;
  readonly family: string | null;
  readonly entity: string | null;
  readonly at: number | null;
  readonly body: Uint8Array | null;
  readonly name: string | null;
}

export function storedContent(place: ContentPlace, row: ContentRow, ids: Ids): StoredContent {
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
