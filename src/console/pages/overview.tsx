/** The first page of the console. */
import type { Child, FC } from 'hono/jsx';
import { DayFigures, KindSpark, SuccessTable } from '../components/day-charts.tsx';
import { Empty } from '../../pages/list.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { readDay, type Day } from '../day.ts';
import { Frame } from '../frame.tsx';
import { usePage, type Page } from '../page.ts';
import { findProblems, type Problem } from '../problems.ts';
import { dispatchView } from '../../view/dispatch-view.ts';
import { instantText } from '../../view/instant-text.ts';
import { statisticsView, type StatisticsView } from '../../view/statistics-view.ts';

/** Kinds that are listed. A sender can invent a thousand. */
const MAX_KINDS = 50;

/** Adds the first page: what needs an operator, in sentences, and how much there is. */
export function addOverviewPage(app: ConsoleApp, deps: PagesDeps): void {
  const { store, dispatcher, pageOf } = deps;
  app.get('/', async (c) => {
    const page = await pageOf(c);
    const found = await store.statistics();
    const statistics = statisticsView(found, await store.monitoring());
    const problems = await findProblems({
      page,
      store,
      statistics,
      dispatch: dispatchView(dispatcher.status(), page),
      pauses: found.pauses,
      notReady: deps.notReady(),
      observed: deps.observation().problems,
    });
    const day = await readDay(store, deps.activity(), page.now);
    return c.html(<OverviewPage {...{ page, statistics, problems, day }} />);
  });
}

interface OverviewProps {
  readonly page: Page;
  readonly statistics: StatisticsView;
  readonly problems: readonly Problem[];
  readonly day: Day;
}

const OverviewPage: FC<OverviewProps> = ({ page, statistics, problems, day }) => {
  const { words } = page;
  return (
    <Frame page={page} current="overview" title={words.overview.title}>
      <h1>{problems.length === 0 ? words.overview.quiet : words.overview.attention(problems.length)}</h1>
      <p class="lead">{words.overview.lead(statistics.events)}</p>
      {problems.length > 0 && (
        <ul class="problems">
          {problems.map(({ tone, sentence, href, remedy, language }) => (
            <li>
              <span class={`dot ${tone}`} aria-hidden="true" />
              <span {...(language !== undefined && { lang: language })}>
                {sentence}
                {remedy !== undefined && <span class="remedy">{remedy}</span>}
              </span>
              <a href={href}>{words.overview.look}</a>
            </li>
          ))}
        </ul>
      )}
      {statistics.events === 0 ? (
        <Empty>{words.overview.none}</Empty>
      ) : (
        <>
          <LastDay statistics={statistics} day={day} />
          <Numbers statistics={statistics} day={day} />
        </>
      )}
    </Frame>
  );
};

const LastDay: FC<Pick<OverviewProps, 'statistics' | 'day'>> = ({ statistics, day }) => {
  const { words, now } = usePage();
  const { deliveries, oldest_pending_at: oldest } = statistics;
  return (
    <>
      <h2>
        {words.charts.title}{' '}
        <span class="soft">
          {words.charts.asOf} <Time iso={instantText(now)} />
        </span>
      </h2>
      <DayFigures
        day={day}
        backlog={deliveries.pending + deliveries.running}
        oldestMs={oldest === null ? 0 : Math.max(0, now - Date.parse(oldest))}
      />
      <SuccessTable day={day} />
    </>
  );
};

const Numbers: FC<Pick<OverviewProps, 'statistics' | 'day'>> = ({ statistics, day }) => {
  const { words, format } = usePage();
  const { events, repeats, deliveries } = statistics;
  const all = events + repeats;
  return (
    <>
      <h2>{words.overview.kinds}</h2>
      <Table
        rows={statistics.by_kind.slice(0, MAX_KINDS)}
        columns={[
          {
            head: words.overview.kind,
            as: 'code',
            cell: ({ kind }) => <a href={`/events?kind=${encodeURIComponent(kind)}`}>{kind}</a>,
          },
          {
            head: words.charts.course,
            cell: ({ kind }) => <KindSpark kind={kind} hours={day.kinds.get(kind)} />,
          },
          { head: words.overview.events, as: 'number', cell: (row) => format.number(row.events) },
          {
            head: words.overview.last,
            as: 'number',
            cell: (row) => <Time iso={row.last_received_at} as="relative" />,
          },
        ]}
      />
      <h2>{words.overview.figures}</h2>
      <dl class="figures">
        <Figure name={words.overview.received}>{format.number(all)}</Figure>
        <Figure name={words.overview.repeats} share={repeats / all}>
          {format.number(repeats)}
        </Figure>
        <Figure name={words.overview.handled}>{format.number(deliveries.succeeded)}</Figure>
        <Figure name={words.overview.held}>{format.number(statistics.quarantine_held)}</Figure>
        <Figure name={words.overview.pending}>
          {format.number(deliveries.pending + deliveries.running)}
        </Figure>
      </dl>
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
