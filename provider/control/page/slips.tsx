/** The page of `/control` that lists payment slips. */
import type { FC } from 'hono/jsx';
import { Choice, Empty, Filters, Pager, TextFilter } from '../../../src/pages/list.tsx';
import { State, type Tone } from '../../../src/pages/state.tsx';
import { Table } from '../../../src/pages/table.tsx';
import { Time } from '../../../src/pages/time.tsx';
import type { SlipStatus } from '../../payment-slips/slip-rules.ts';
import type { ControlDeps } from '../control.ts';
import { Act, ControlFrame, paths, type ControlView } from './control-frame.tsx';
import { LIMIT, cursorOf, readSlips, slipFamilies, type SlipFamily, type SlipRow } from './control-rows.ts';
import { statusOf } from './page-of-rows.ts';

const tones: Readonly<Record<SlipStatus, Tone>> = {
  pending: 'warn',
  requested: 'warn',
  issued: 'ok',
  rejected: 'bad',
  failed: 'bad',
};

const statuses = Object.keys(tones) as SlipStatus[];
/** What the slips of a family pay. */
const debtNames: Readonly<Record<SlipFamily, string>> = {
  'traffic-violations': 'traffic violation',
  antt: 'ANTT violation',
  charges: 'charge',
};

const families = Object.keys(slipFamilies) as SlipFamily[];

/** Payment slips of all families or of one, and what an agency can do with each. */
export async function slipsPage(view: ControlView, { provider }: ControlDeps) {
  const { url } = view.page;
  const family = families.find((each) => each === url.searchParams.get('family'));
  const read = await readSlips(provider, {
    family,
    status: statusOf(url, statuses),
    search: url.searchParams.get('search') ?? '',
    after: url.searchParams.get('after'),
  });
  const rows = read.slice(0, LIMIT);
  const last = rows.at(-1);
  const next = read.length > LIMIT && last !== undefined ? cursorOf(last) : null;
  return (
    <ControlFrame view={view} current="slips" title="Payment slips">
      <h1>Payment slips</h1>
      <p class="lead">
        Slips of payment, the last to change first. An agency issues or rejects one that was requested.
      </p>
      <Filters action={paths.slips}>
        <TextFilter name="search" label="Company or slip" hint="name or id" />
        <Choice
          name="family"
          label="For"
          options={families.map((each) => [each, debtNames[each]] as const)}
        />
        <Choice name="status" label="State" options={statuses.map((each) => [each, each] as const)} />
      </Filters>
      {rows.length === 0 ? (
        <Empty>No slip matches. The organization requests them by the API.</Empty>
      ) : (
        <Slips view={view} rows={rows} />
      )}
      <Pager next={next} />
    </ControlFrame>
  );
}

interface SlipsProps {
  readonly view: ControlView;
  readonly rows: readonly SlipRow[];
}

const Slips: FC<SlipsProps> = ({ view, rows }) => {
  const reais = new Intl.NumberFormat('en', { style: 'currency', currency: 'BRL' });
  return (
    <Table
      rows={rows}
      columns={[
        { head: 'Slip', as: 'number', cell: ({ id }) => String(id) },
        { head: 'For', cell: ({ family, debt }) => `${debtNames[family]} ${String(debt)}` },
        { head: 'Company', cell: ({ company }) => company ?? '–' },
        {
          head: 'State',
          cell: ({ status }) => <State tone={tones[status]} word={status} />,
        },
        {
          head: 'Amount',
          as: 'number',
          cell: ({ amount }) => (amount === null ? '–' : reais.format(amount)),
        },
        { head: 'Changed', cell: ({ updatedAt }) => <Time iso={updatedAt} /> },
        { head: 'By itself', cell: ({ next }) => <Time iso={next} as="relative" /> },
        { head: 'By hand', cell: (row) => <Decisions view={view} row={row} /> },
      ]}
    />
  );
};

const moves = {
  pending: ['requested', 'issued', 'rejected', 'failed'],
  requested: ['issued', 'rejected', 'failed'],
} as const;

/** What an agency can decide about a slip. A slip that ended has no further move. */
const Decisions: FC<{ readonly view: ControlView; readonly row: SlipRow }> = ({
  view,
  row: { family, id, status },
}) => {
  if (status !== 'pending' && status !== 'requested') return null;
  const labels = {
    requested: 'Requested',
    issued: 'Issue',
    rejected: 'Reject',
    failed: 'Fail',
  };
  return (
    <div class="acts">
      {moves[status].map((to) => (
        <Act
          view={view}
          to={`${slipFamilies[family].path}/${String(id)}/status`}
          label={labels[to]}
          about={`Slip ${String(id)}`}
          fields={{ status: to }}
        />
      ))}
    </div>
  );
};
