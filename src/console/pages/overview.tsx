import type { Child, FC } from 'hono/jsx';
import { Empty } from '../components/list.tsx';
import { Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { usePage, type Page } from '../page.ts';
import type { OperatorProblem } from '../../attention/problem.ts';
import { dispatchView, type DispatchView } from '../../view/dispatch-view.ts';
import { statisticsView, type StatisticsView } from '../../view/statistics-view.ts';

/** Milliseconds that an event may be unfinished before the overview says so. */
const SLOW_MS = 300_000;
/** Kinds that are listed. A sender can invent a thousand. */
const MAX_KINDS = 50;

/** Adds the first page: what needs an operator, in sentences, and how much there is. */
export function addOverviewPage(app: ConsoleApp, deps: PagesDeps): void {
  const { store, dispatcher, pageOf } = deps;
  app.get('/', async (c) => {
    const page = await pageOf(c);
    const statistics = statisticsView(await store.statistics(), await store.monitoring());
    const dispatch = dispatchView(dispatcher.status(), page);
    return c.html(
      <OverviewPage
        page={page}
        statistics={statistics}
        dispatch={dispatch}
        notReady={deps.notReady()}
        observed={deps.observation()?.problems ?? []}
      />,
    );
  });
}

interface OverviewProps {
  readonly page: Page;
  readonly statistics: StatisticsView;
  readonly dispatch: DispatchView;
  readonly notReady: readonly string[];
  /** What the watch of this process found. Counts are shown as they are now instead. */
  readonly observed: readonly OperatorProblem[];
}

/** Problems that the numbers of this moment show. */
const COUNTED: ReadonlySet<OperatorProblem['problem']> = new Set([
  'dead-letters',
  'quarantine',
  'open-breaker',
  'oldest-pending',
]);

interface Problem {
  readonly tone: 'bad' | 'warn';
  readonly sentence: string;
  readonly href: string;
}

const OverviewPage: FC<OverviewProps> = (props) => {
  const { page, statistics } = props;
  const { words } = page;
  const problems = problemsOf(props);
  return (
    <Frame page={page} current="overview" title={words.overview.title}>
      <h1>{problems.length === 0 ? words.overview.quiet : words.overview.attention(problems.length)}</h1>
      <p class="lead">{words.overview.lead(statistics.events)}</p>
      {problems.length > 0 && (
        <ul class="problems">
          {problems.map(({ tone, sentence, href }) => (
            <li>
              <span class={`dot ${tone}`} aria-hidden="true" />
              <span>{sentence}</span>
              <a href={href}>{words.overview.look}</a>
            </li>
          ))}
        </ul>
      )}
      {statistics.events === 0 ? <Empty>{words.overview.none}</Empty> : <Numbers statistics={statistics} />}
    </Frame>
  );
};

function problemsOf({ page, statistics, dispatch, notReady, observed }: OverviewProps): readonly Problem[] {
  const { words, format, now } = page;
  const since = statistics.oldest_pending_at;
  const failing = statistics.by_handler.filter(({ dead }) => dead > 0);
  return [
    ...notReady.map((reason) => problem('bad', words.overview.notReady(reason), '/system')),
    ...failing.map(({ handler, dead }) =>
      problem('bad', words.overview.dead(dead, handler), `/failures?handler=${encodeURIComponent(handler)}`),
    ),
    ...dispatch.paused.map(({ handler }) => problem('bad', words.overview.paused(handler), '/handlers')),
    ...(statistics.quarantine_held > 0
      ? [problem('warn', words.overview.quarantined(statistics.quarantine_held), '/quarantine')]
      : []),
    ...(since !== null && now - Date.parse(since) > SLOW_MS
      ? [problem('warn', words.overview.waiting(format.relative(since, now)), '/events?status=pending')]
      : []),
    ...observed
      .filter((each) => !COUNTED.has(each.problem))
      .map(({ summary }) => problem('warn', summary, '/system')),
  ];
}

function problem(tone: Problem['tone'], sentence: string, href: string): Problem {
  return { tone, sentence, href };
}

const Numbers: FC<{ readonly statistics: StatisticsView }> = ({ statistics }) => {
  const { words, format } = usePage();
  const { events, repeats, deliveries } = statistics;
  const all = events + repeats;
  return (
    <>
      <h2>{words.overview.figures}</h2>
      <dl class="figures">
        <Figure name={words.overview.received}>{format.number(all)}</Figure>
        <Figure name={words.overview.repeats} share={repeats / all}>
          {format.number(repeats)}
        </Figure>
        <Figure name={words.overview.handled}>{format.number(deliveries.succeeded)}</Figure>
        <Figure name={words.overview.pending}>
          {format.number(deliveries.pending + deliveries.running)}
        </Figure>
      </dl>
      <h2>{words.overview.kinds}</h2>
      <Table
        rows={statistics.by_kind.slice(0, MAX_KINDS)}
        columns={[
          {
            head: words.overview.kind,
            as: 'code',
            cell: ({ kind }) => <a href={`/events?kind=${encodeURIComponent(kind)}`}>{kind}</a>,
          },
          { head: words.overview.events, as: 'number', cell: (row) => format.number(row.events) },
          {
            head: words.overview.last,
            as: 'number',
            cell: (row) => <Time iso={row.last_received_at} as="relative" />,
          },
        ]}
      />
    </>
  );
};

const Figure: FC<{ readonly name: string; readonly share?: number; readonly children?: Child }> = ({
  name,
  share,
  children,
}) => {
  const { words } = usePage();
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        {share !== undefined && Number.isFinite(share) && (
          <small> {words.overview.share((share * 100).toFixed(1))}</small>
        )}
      </dd>
    </div>
  );
};
