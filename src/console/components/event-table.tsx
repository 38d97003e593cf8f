/** The table of events: that of the list, and that of the live page. */
import type { FC } from 'hono/jsx';
import { State } from '../../pages/state.tsx';
import { Table, TableRows, type TableProps } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { DeliveryStatus } from '../../store/queries.ts';
import type { EventView } from '../../view/event-view.ts';
import type { QuarantineView } from '../../view/quarantine-view.ts';
import { usePage } from '../page.ts';
import { OutcomeState, VerdictState } from './delivery-state.tsx';
import { EventLink, Kind, subjectAddress } from './event-cells.tsx';

export interface EventRow {
  readonly event: EventView;
  readonly statuses: readonly DeliveryStatus[];
}

/** A webhook in quarantine, among events. */
export interface HeldRow {
  readonly entry: QuarantineView;
}

interface EventRows {
  readonly rows: readonly (EventRow | HeldRow)[];
}

export const EventTable: FC<EventRows> = ({ rows }) => <Table {...useEventTable(rows)} />;

/** The rows alone. */
export const EventTableRows: FC<EventRows> = ({ rows }) => <TableRows {...useEventTable(rows)} />;

function useEventTable(rows: EventRows['rows']): TableProps<EventRow | HeldRow> {
  const { events: words, quarantine } = usePage().words;
  return {
    rows,
    id: (row) => ('entry' in row ? `e-${row.entry.id}` : `e-${row.event.id}`),
    columns: [
      {
        head: words.time,
        cell: (row) =>
          'entry' in row ? (
            <a href={`/quarantine/${row.entry.id}`}>
              <Time iso={row.entry.received_at} />
            </a>
          ) : (
            <EventLink id={row.event.id} receivedAt={row.event.received_at} />
          ),
      },
      {
        head: words.kind,
        as: 'code',
        cell: (row) => ('entry' in row ? (row.entry.kind ?? '–') : <Kind event={row.event} />),
      },
      {
        head: words.subject,
        as: 'code',
        cell: (row) => {
          const { subject } = 'entry' in row ? row.entry : row.event;
          return subject === null ? '–' : <a href={subjectAddress(subject)}>{subject}</a>;
        },
      },
      {
        head: words.verdict,
        cell: (row) =>
          'entry' in row ? (
            <State tone="warn" word={quarantine.verdicts[row.entry.reason]} />
          ) : (
            <VerdictCell event={row.event} />
          ),
      },
      {
        head: words.outcome,
        cell: (row) =>
          'entry' in row ? (
            <State tone="bad" word={quarantine.held} />
          ) : (
            <OutcomeState statuses={row.statuses} />
          ),
      },
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
