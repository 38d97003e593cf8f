/** The table of events: that of the list, and that of the live page. */
import type { Child, FC } from 'hono/jsx';
import { State } from '../../pages/state.tsx';
import { Table, TableRows, type TableProps } from '../../pages/table.tsx';
import type { EventView } from '../../view/event-view.ts';
import type { QuarantineView } from '../../view/quarantine-view.ts';
import { usePage } from '../page.ts';
import { EntryLink } from './entry-table.tsx';
import {
  EventLink,
  Kind,
  OutcomeState,
  VerdictState,
  subjectColumn,
  type ShownStatus,
} from './event-cells.tsx';

export interface EventRow {
  readonly event: EventView;
  readonly statuses: readonly ShownStatus[];
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

/** A row of either, as the table shows it. */
interface Cells {
  readonly id: string;
  readonly subject: string | null;
  readonly time: Child;
  readonly kind: Child;
  readonly verdict: Child;
  readonly outcome: Child;
}

function useEventTable(rows: EventRows['rows']): TableProps<Cells> {
  const { events: words, quarantine, columns } = usePage().words;

  function cellsOf(row: EventRow | HeldRow): Cells {
    if ('entry' in row) {
      const { id, subject, kind, reason } = row.entry;
      return {
        ...{ id, subject, kind: kind ?? '–' },
        time: <EntryLink entry={row.entry} />,
        verdict: <State tone="warn" word={quarantine.reasons[reason]} />,
        outcome: <State tone="warn" word={quarantine.held} />,
      };
    }
    const { event, statuses } = row;
    return {
      ...{ id: event.id, subject: event.subject, kind: <Kind event={event} /> },
      time: <EventLink id={event.id} receivedAt={event.received_at} />,
      verdict: <VerdictCell event={event} />,
      outcome: <OutcomeState statuses={statuses} />,
    };
  }

  return {
    rows: rows.map(cellsOf),
    id: ({ id }) => `e-${id}`,
    columns: [
      { head: columns.received, cell: ({ time }) => time },
      { head: columns.kind, as: 'code', cell: ({ kind }) => kind },
      subjectColumn(),
      { head: columns.verdict, cell: ({ verdict }) => verdict },
      { head: words.outcome, cell: ({ outcome }) => outcome },
    ],
  };
}

const VerdictCell: FC<Pick<EventRow, 'event'>> = ({ event: { verdict, flags } }) => {
  const words = usePage().words.events;
  return (
    <>
      <VerdictState verdict={verdict} />
      {flags.map((flag) => (
        <>
          {' '}
          <State tone="off" word={words.flags[flag]} />
        </>
      ))}
    </>
  );
};
