/** The rows of live pages, and what their stream sends. */
import type { FC } from 'hono/jsx';
import type { EventRecord } from '../../event/stored-event.ts';
import type { Language } from '../../pages/language/languages.ts';
import type { DeliveryStatus } from '../../store/queries.ts';
import { eventView } from '../../view/event-view.ts';
import { quarantineView } from '../../view/quarantine-view.ts';
import { EventTable, EventTableRows, type EventRows } from '../components/event-table.tsx';
import { InPage } from '../frame.tsx';
import type { Page } from '../page.ts';
import type { EventLiveRow, LiveRow } from './live-window.ts';

export const LiveTable: FC<{ readonly rows: readonly LiveRow[] }> = ({ rows }) => (
  <EventTable rows={rows.map(tableRow)} />
);

/** The row of an event as it was rendered last: it is the same on all live pages in a language. */
interface Rendered {
  readonly outcome: EventLiveRow['outcome'];
  readonly html: string;
}

const rendered: Readonly<Record<Language, WeakMap<EventRecord, Rendered>>> = {
  en: new WeakMap(),
  'pt-BR': new WeakMap(),
};

/** Renders rows for the stream. */
export function rowsHtml(page: Page, rows: readonly LiveRow[]): string {
  return rows.map((row) => rowHtml(page, row)).join('');
}

function rowHtml(page: Page, row: LiveRow): string {
  const known = 'event' in row ? rendered[page.language].get(row.event) : undefined;
  if (known !== undefined && 'event' in row && known.outcome === row.outcome) return known.html;
  const element: { toString(): string } = (
    <InPage page={page}>
      <EventTableRows rows={[tableRow(row)]} />
    </InPage>
  );
  // Nothing in these components waits, so this is the text and no promise.
  const html = element.toString();
  if ('event' in row) rendered[page.language].set(row.event, { outcome: row.outcome, html });
  return html;
}

function tableRow(row: LiveRow): EventRows['rows'][number] {
  if ('entry' in row) return { entry: quarantineView(row.entry) };
  const { event, outcome = {} } = row;
  const statuses = (Object.entries(outcome) as [DeliveryStatus, number][]).flatMap(([status, count]) =>
    Array.from({ length: count }, () => status),
  );
  return { event: eventView(event), statuses };
}
