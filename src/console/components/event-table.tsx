/** The table of events, with webhooks in quarantine among them: that of the list, and that of the live page. */
import type { FC } from 'hono/jsx';
import { State } from '../../pages/state.tsx';
import { Table, TableRows, type TableProps } from '../../pages/table.tsx';
import type { EventView } from '../../view/event-view.ts';
import type { QuarantineView } from '../../view/quarantine-view.ts';
import { usePage } from '../page.ts';
import { EntryLink } from './entry-table.tsx';
import {
  CompanyLink,
  EventLink,
  Kind,
  OutcomeState,
  SubjectLink,
  VerdictState,
  type ShownStatus,
} from './event-cells.tsx';

export interface EventRow {
  readonly event: EventView;
  readonly statuses: readonly ShownStatus[];
  /** The number of the company that it belongs to, where that is looked for. */
  readonly company?: string | null;
}

export interface EventRows {
  readonly rows: readonly (EventRow | { readonly entry: QuarantineView })[];
}

type Row = EventRows['rows'][number];

export const EventTable: FC<EventRows> = ({ rows }) => <Table {...useEventTable(rows)} />;

/** The rows alone. */
export const EventTableRows: FC<EventRows> = ({ rows }) => <TableRows {...useEventTable(rows)} />;

function useEventTable(rows: EventRows['rows']): TableProps<Row> {
  const { events: words, quarantine, columns } = usePage().words;
  const named = (row: Row) => ('entry' in row ? row.entry : row.event);
  const hasCompany = rows.some((row) => 'company' in row);
  return {
    rows,
    id: (row) => `e-${named(row).id}`,
    columns: [
      {
        head: columns.received,
        cell: (row) =>
          'entry' in row ? (
            <EntryLink entry={row.entry} />
          ) : (
            <EventLink id={row.event.id} receivedAt={row.event.received_at} />
          ),
      },
      {
        ...{ head: columns.kind, as: 'code' },
        cell: (row) => ('entry' in row ? (row.entry.kind ?? '–') : <Kind event={row.event} />),
      },
      { head: columns.subject, as: 'code', cell: (row) => <SubjectLink subject={named(row).subject} /> },
      {
        head: columns.verdict,
        cell: (row) =>
          'entry' in row ? (
            <State tone="warn" word={quarantine.reasons[row.entry.reason]} />
          ) : (
            <VerdictCell event={row.event} />
          ),
      },
      {
        head: words.outcome,
        cell: (row) =>
          'entry' in row ? (
            <State tone="warn" word={quarantine.held} />
          ) : (
            <OutcomeState statuses={row.statuses} />
          ),
      },
      hasCompany && {
        ...{ head: columns.company, as: 'code' },
        cell: (row) => 'company' in row && <CompanyLink company={row.company} />,
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
        <State tone="off" word={usePage().words.events.flags[flag]} />
      </>
    ))}
  </>
);
