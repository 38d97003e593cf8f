/** The rows of live pages, and what their stream sends. */
import type { FC } from 'hono/jsx';
import type { DeliveryStatus } from '../../store/queries.ts';
import { eventView } from '../../view/event-view.ts';
import { EventTable, EventTableRows, type EventRow } from '../components/event-table.tsx';
import { InPage } from '../frame.tsx';
import type { Page } from '../page.ts';
import type { LiveRow } from './live-window.ts';

export const LiveTable: FC<{ readonly rows: readonly LiveRow[] }> = ({ rows }) => (
  <EventTable rows={rows.map(eventRow)} />
);

/** Renders rows for the stream. */
export function rowsHtml(page: Page, rows: readonly LiveRow[]): string {
  const element: { toString(): string } = (
    <InPage page={page}>
      <EventTableRows rows={rows.map(eventRow)} />
    </InPage>
  );
  // Nothing in these components waits, so this is the text and no promise.
  return element.toString();
}

function eventRow({ event, outcome = {} }: LiveRow): EventRow {
  const statuses = (Object.entries(outcome) as [DeliveryStatus, number][]).flatMap(([status, count]) =>
    Array.from({ length: count }, () => status),
  );
  return { event: eventView(event), statuses };
}
