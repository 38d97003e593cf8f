/** The page of `/control` that lists payment slips. */
import type { FC } from 'hono/jsx';
import { Choice, Empty, Filters, Pager, TextFilter } from '../../../src/pages/list.tsx';
import { State, type Tone } from '../../../src/pages/state.tsx';
import { Table } from '../../../src/pages/table.tsx';
import { Time } from '../../../src/pages/time.tsx';
import type { SlipStatus } from '../../payment-slips/slip-rules.ts';
import type { ControlDeps } from '../control.ts';
import { Act, ControlFrame, paths, type ControlView } from './control-frame.tsx';
import { LIMIT, placeOf, readSlips, slipFamilies, type SlipFamily, type SlipRow } from './control-rows.ts';
import { statusOf } from './page-of-rows.ts';

const tones: Readonly<Record<SlipStatus, Tone>> = {
  pending: 'warn',
  requested: 'warn',
  issued: 'ok',
  rejected: 'bad',
  failed: 'bad',
};

const statuses = Object.keys(tones) as SlipStatus[];
const families = Object.keys(slipFamilies) as SlipFamily[];

/** Payment slips of all families or of one, and what an agency can do with each. */
export async function slipsPage(view: ControlView, { provider }: ControlDeps) {
  const { slips: words } = view.words;
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
  const next = read.length > LIMIT && last !== undefined ? placeOf(last) : null;
  return (
    <ControlFrame view={view} current="slips" title={words.title}>
      <h1>{words.title}</h1>
      <p class="lead">{words.lead}</p>
      <Filters action={paths.slips}>
        <TextFilter name="search" label={words.search} hint={words.searchHint} />
        <Choice
          name="family"
          label={words.family}
          options={families.map((each) => [each, words.families[each]] as const)}
        />
        <Choice
          name="status"
          label={words.status}
          options={statuses.map((each) => [each, words.statuses[each]] as const)}
        />
      </Filters>
      {rows.length === 0 ? <Empty>{words.none}</Empty> : <Slips view={view} rows={rows} />}
      <Pager next={next} />
    </ControlFrame>
  );
}

interface SlipsProps {
  readonly view: ControlView;
  readonly rows: readonly SlipRow[];
}

const Slips: FC<SlipsProps> = ({ view, rows }) => {
  const { slips: words, byHand } = view.words;
  const { language } = view.page;
  const reais = new Intl.NumberFormat(language, { style: 'currency', currency: 'BRL' });
  return (
    <Table
      rows={rows}
      columns={[
        { head: words.slip, as: 'number', cell: ({ id }) => String(id) },
        { head: words.family, cell: ({ family, debt }) => `${words.families[family]} ${String(debt)}` },
        { head: words.company, cell: ({ company }) => company ?? '–' },
        {
          head: words.status,
          cell: ({ status }) => <State tone={tones[status]} word={words.statuses[status]} />,
        },
        {
          head: words.amount,
          as: 'number',
          cell: ({ amount }) => (amount === null ? '–' : reais.format(amount)),
        },
        { head: words.updated, cell: ({ updatedAt }) => <Time iso={updatedAt} /> },
        { head: words.next, cell: ({ next }) => <Time iso={next} as="relative" /> },
        { head: byHand, cell: (row) => <Decisions view={view} row={row} /> },
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
  const { slips: words } = view.words;
  if (status !== 'pending' && status !== 'requested') return null;
  const labels = {
    requested: words.request,
    issued: words.issue,
    rejected: words.reject,
    failed: words.fail,
  };
  return (
    <div class="acts">
      {moves[status].map((to) => (
        <Act
          view={view}
          to={`${slipFamilies[family].path}/${String(id)}/status`}
          label={labels[to]}
          about={`${words.slip} ${String(id)}`}
          fields={{ status: to }}
        />
      ))}
    </div>
  );
};
