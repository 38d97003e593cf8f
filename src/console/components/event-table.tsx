/** The table of events, with webhooks in quarantine among them: that of the list, and that of the live page. */
import type { Child, FC } from 'hono/jsx';
import { State } from '../../pages/state.tsx';
import { Table, TableRows, type Column, type TableProps } from '../../pages/table.tsx';
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

export const EventTable: FC<EventRows> = ({ rows }) => <Table {...useEventTable(rows)} />;

/** The rows alone. */
export const EventTableRows: FC<EventRows> = ({ rows }) => <TableRows {...useEventTable(rows)} />;

/** The cells of a row, in the order of the columns. */
interface Cells {
  readonly id: string;
  readonly cells: readonly Child[];
}

function useEventTable(rows: EventRows['rows']): TableProps<Cells> {
  const { events: words, quarantine, columns } = usePage().words;
  const subjectOf = ({ subject }: { readonly subject: string | null }) => <SubjectLink subject={subject} />;
  const ofEntry = (entry: QuarantineView): readonly Child[] => [
    ...[<EntryLink entry={entry} />, entry.kind ?? '–', subjectOf(entry)],
    <State tone="warn" word={quarantine.reasons[entry.reason]} />,
    <State tone="warn" word={quarantine.held} />,
  ];
  const ofEvent = ({ event, company = null, statuses }: EventRow): readonly Child[] => [
    <EventLink id={event.id} receivedAt={event.received_at} />,
    ...[<Kind event={event} />, subjectOf(event), <VerdictCell event={event} />],
    ...[<OutcomeState statuses={statuses} />, <CompanyLink company={company} />],
  ];
  const column = (head: string, at: number, as?: 'code'): Column<Cells> => ({
    ...{ head, cell: ({ cells }) => cells[at] },
    ...(as && { as }),
  });
  return {
    rows: rows.map((row) =>
      'entry' in row
        ? { id: row.entry.id, cells: ofEntry(row.entry) }
        : { id: row.event.id, cells: ofEvent(row) },
    ),
    id: ({ id }) => `e-${id}`,
    columns: [
      column(columns.received, 0),
      column(columns.kind, 1, 'code'),
      column(columns.subject, 2, 'code'),
      column(columns.verdict, 3),
      column(words.outcome, 4),
      rows.some((row) => 'company' in row) && column(columns.company, 5, 'code'),
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
