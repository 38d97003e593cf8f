/** Reads the rows that may hold personal data, place by place. */
import { PortariaError } from '../../../kernel/errors.ts';
import type { ContentPlace, Privacy, StoredContent } from '../../privacy.ts';
import type { Connection } from '../sql/connection.ts';
import { MAX_PAGE_BYTES, storedContent, type ContentRow } from '../../shared/privacy/content-record.ts';
import { contentTables, type ContentTable } from '../../shared/privacy/content-tables.ts';
import { readErasureKey } from './keyed-digest.ts';

export function createContentReads({
  database,
  ids,
}: Connection): Pick<Privacy, 'erasureKey' | 'contents' | 'derivedContents' | 'runningErased'> {
  const running = `select count(*) from deliveries join events on events.id = deliveries.event_id
    where deliveries.finished_at is null and deliveries.status = 'running' and events.flags like '%"erased"%'`;

  function read(place: ContentPlace, condition: string, parameters: readonly number[], limit: number) {
    const table = contentTables[place];
    const text = `${selectRows(table)} where ${condition} order by ${table.key} limit ?`;
    const found: StoredContent[] = [];
    let bytes = 0;
    for (const row of database.prepare<unknown[], ContentRow>(text).iterate(...parameters, limit)) {
      const content = storedContent(place, row, ids);
      found.push(content);
      bytes += sizeOf(content);
      if (bytes > MAX_PAGE_BYTES) break;
    }
    return found;
  }

  return {
    erasureKey: async () => readErasureKey(database),
    contents: async (place, { after, limit }) =>
      read(place, `${contentTables[place].key} > ?`, [after], limit),
    async derivedContents(eventId) {
      const event = ids.eventRow(eventId);
      if (event === undefined) throw new PortariaError('not-found', `there is no event ${eventId}`);
      const ofSubject = 'subjects.id = (select subject_id from events where id = ?)';
      return [
        ...read('delivery', 'deliveries.event_id = ?', [event], -1),
        ...read('attempt', 'deliveries.event_id = ?', [event], -1),
        ...read('state', ofSubject, [event], -1),
        ...read('base', ofSubject, [event], -1),
        ...read('anomaly', ofSubject, [event], -1),
      ];
    },
    runningErased: async () => database.prepare<[], number>(running).pluck().get() ?? 0,
  };
}

function selectRows({ from, key, texts, body, about }: ContentTable): string {
  const columns = texts.map((name) => `${from.split(' ')[0]!}.${name} as "text ${name}"`);
  return `select ${[
    `${key} as row`,
    ...Object.entries(about).map(([name, expression]) => `${expression} as ${name}`),
    ...(body ? [`${from.split(' ')[0]!}.body`] : ['null as body']),
    ...columns,
  ].join(', ')} from ${from}`;
}

function sizeOf({ body, texts }: StoredContent): number {
  return Object.values(texts).reduce((sum, text) => sum + (text?.length ?? 0), body?.length ?? 0);
}
