/** The table of events: that of the list, and that of the live page. */
import type { FC } from 'hono/jsx';
import { State } from '../../pages/state.tsx';
import { Table, TableRows, type TableProps } from '../../pages/table.tsx';
import type { DeliveryStatus } from '../../store/queries.ts';
import type { EventView } from '../../view/event-view.ts';
import { usePage } from '../page.ts';
import { OutcomeState, VerdictState } from './delivery-state.tsx';
import { EventLink, Kind, subjectAddress } from './event-cells.tsx';

export interface EventRow {
  readonly event: EventView;
  readonly statuses: readonly DeliveryStatus[];
}

interface EventRows {
  readonly rows: readonly EventRow[];
}

export const EventTable: FC<EventRows> = ({ rows }) => <Table {...useEventTable(rows)} />;

/** The rows alone. */
export const EventTableRows: FC<EventRows> = ({ rows }) => <TableRows {...useEventTable(rows)} />;

function useEventTable(rows: readonly EventRow[]): TableProps<EventRow> {
  const words = usePage().words.events;
  return {
    rows,
    id: ({ event }) => `e-${event.id}`,
    columns: [
      { head: words.time, cell: ({ event }) => <EventLink id={event.id} receivedAt={event.received_at} /> },
      { head: words.kind, as: 'code', cell: ({ event }) => <Kind event={event} /> },
      {
        head: words.subject,
        as: 'code',
        cell: ({ event: { subject } }) => <a href={subjectAddress(subject)}>{subject}</a>,
      },
      { head: words.verdict, cell: ({ event }) => <VerdictCell event={event} /> },
      { head: words.outcome, cell: ({ statuses }) => <OutcomeState statuses={statuses} /> },
    ],
  };
}

const VerdictCell: FC<Pick<EventRow, 'event'>> = ({ event: { verdict, flags } }) => (
  <>
    <VerdictState verdict={verdict} />
    {flags.map((flag) => (
      <>
        {' '}
        <State tone="off" word={flag} />
      </>
    ))}
  </>
);
