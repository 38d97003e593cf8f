/** The first page of the console. */
import { DayFigures } from '../components/day-charts.tsx';
import { eventsAddress } from '../components/event-cells.tsx';
import { Empty } from '../../pages/list.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { readDay } from '../day.ts';
import { Quoted } from '../components/foreign-text.tsx';
import { Frame } from '../frame.tsx';
import { may } from '../page.ts';
import { findProblems } from '../problems/find-problems.ts';
import { spanOf } from '../../store/activity.ts';
import { dispatchView } from '../../view/dispatch-view.ts';
import { instantText } from '../../view/instant-text.ts';
import { statisticsView } from '../../view/statistics-view.ts';

/** Kinds that are listed: those with the most events. The page fits a screen. */
const MAX_KINDS = 4;
/** The newest jobs, among which those that ended early are looked for. */
const MAX_JOBS = 20;

/** Adds the first page: what needs an operator, in sentences, and how much there is. */
export function addOverviewPage(app: ConsoleApp, deps: PagesDeps): void {
  const { store, dispatcher, pageOf } = deps;
  app.get('/', async (c) => {
    const page = await pageOf(c);
    const { words, format, now } = page;
    const found = await store.statistics();
    const monitoring = await store.monitoring();
    const statistics = statisticsView(found, monitoring);
    const problems = await findProblems({
      page,
      store,
      registry: deps.registry,
      statistics,
      dispatch: dispatchView({ ...monitoring, ...dispatcher.status() }, page),
      places: dispatcher.status().places,
      pauses: found.pauses,
      rejections: monitoring.rejections,
      jobs: await store.jobs({ limit: MAX_JOBS }),
      notReady: deps.notReady(),
      observed: deps.observation().problems,
    });
    // What other processes have counted is known to the end of their last span.
    const countedTo = (await store.processes()).length > 1 ? spanOf(now) : now;
    const day = await readDay(store, deps.activity(), now);
    const { deliveries, oldest_pending_at: oldest, by_kind: kinds } = statistics;
    return c.html(
      <Frame page={page} current="overview" title={words.frame.names.overview}>
        <h1>{problems.length === 0 ? words.overview.quiet : words.overview.attention(problems.length)}</h1>
        <p class="lead">{words.overview.lead(statistics.events, statistics.repeats)}</p>
        {problems.length > 0 && (
          <ul class="problems">
            {problems.map(({ tone, sentence, error, quoted, href, action, before, note, language }) => (
              <li>
                <span class={`dot ${tone}`} aria-hidden="true" />
                <span {...(language !== undefined && { lang: language })}>
                  <strong>{sentence}</strong>{' '}
                  <span class="cause">{error ?? (quoted !== undefined && <Quoted text={quoted} />)}</span>{' '}
                  {note !== undefined && <span class="note">{note}</span>}
                </span>
                {before !== undefined && may(page, 'operate') && <a href={before.href}>{before.action}</a>}
                <a href={href}>{action ?? words.problems.action(href)}</a>
              </li>
            ))}
          </ul>
        )}
        {statistics.events === 0 ? (
          <Empty>{words.overview.none}</Empty>
        ) : (
          <>
            <h2>
              {words.charts.title}{' '}
              <span class="soft">
                {words.charts.asOf} <Time iso={instantText(countedTo)} />
              </span>
            </h2>
            <DayFigures
              day={day}
              backlog={deliveries.pending + deliveries.running}
              oldestMs={oldest === null ? 0 : Math.max(0, now - Date.parse(oldest))}
            />
            <h2>
              {words.overview.kinds}{' '}
              {kinds.length > MAX_KINDS && (
                <a href="/senders#arrivals">{words.overview.allKinds(kinds.length)}</a>
              )}
            </h2>
            <Table
              rows={kinds.toSorted((one, other) => other.events - one.events).slice(0, MAX_KINDS)}
              columns={[
                {
                  head: words.columns.kind,
                  as: 'code',
                  cell: ({ kind }) => <a href={eventsAddress(kind)}>{kind}</a>,
                },
                { head: words.frame.names.events, as: 'number', cell: (row) => format.number(row.events) },
                {
                  head: words.overview.last,
                  as: 'number',
                  cell: (row) => <Time iso={row.last_received_at} as="relative" />,
                },
              ]}
            />
          </>
        )}
      </Frame>,
    );
  });
}
