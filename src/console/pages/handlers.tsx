/** The page of handlers. */
import type { FC } from 'hono/jsx';
import { HandlerCharts } from '../components/handler-charts.tsx';
import { PauseForm, PauseTable, type ShownPause } from '../components/pauses.tsx';
import { State } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { readDay, type Day } from '../day.ts';
import { Frame } from '../frame.tsx';
import { shownPauses } from './pauses.tsx';
import { usePage, type Page } from '../page.ts';
import { handlerCoverage } from '../../operate/show/handler-coverage.ts';
import type { StoreTotals } from '../../store/queries.ts';
import { dispatchView, type DispatchView } from '../../view/dispatch-view.ts';
import { instantText } from '../../view/instant-text.ts';
import type { PauseView } from '../../view/pause-view.ts';
import type { CoverageView, HandlerView } from '../../view/handler-view.ts';

/** Adds the list of handlers and machines, with their numbers and pauses. */
export function addHandlersPage(app: ConsoleApp, deps: PagesDeps): void {
  const { store, registry, dispatcher, pageOf } = deps;
  app.get('/handlers', async (c) => {
    const page = await pageOf(c);
    const { handlers, coverage } = handlerCoverage(registry);
    const { byHandler, pauses: all } = await store.totals();
    const { open_breakers: openBreakers } = dispatchView(dispatcher.status(), page);
    const { received } = await store.monitoring();
    const sources = [...new Set(received.map(({ source }) => source))];
    const [pauses, day] = [await shownPauses(store, all), await readDay(store, deps.activity(), page.now)];
    return c.html(
      <HandlersPage
        {...{ page, handlers, coverage, byHandler, openBreakers, pauses, sources, day }}
        left={all.length - pauses.length}
      />,
    );
  });
}

interface HandlersProps {
  readonly page: Page;
  readonly handlers: readonly HandlerView[];
  readonly coverage: readonly CoverageView[];
  readonly byHandler: StoreTotals['byHandler'];
  readonly openBreakers: DispatchView['open_breakers'];
  readonly pauses: readonly ShownPause[];
  /** Pauses that are not shown. */
  readonly left: number;
  /** The sources from which events came. */
  readonly sources: readonly string[];
  readonly day: Day;
}

const HandlersPage: FC<HandlersProps> = (props) => {
  const { page, handlers, coverage, byHandler, openBreakers, pauses, day } = props;
  const words = page.words.handlers;
  const rows = rowsOf(handlers, byHandler, openBreakers, pauses);
  const uncovered = coverage.filter(({ covered }) => !covered);
  return (
    <Frame page={page} current="handlers" title={words.title}>
      <h1>{words.title}</h1>
      <p class="lead">{words.lead}</p>
      {pauses.length > 0 && <Pauses {...props} />}
      {pauses.length > 0 && <h2>{words.title}</h2>}
      <Table
        rows={rows}
        columns={[
          { head: words.name, as: 'code', cell: (row) => <NameCell row={row} /> },
          { head: words.kinds, as: 'code', cell: ({ handler }) => handler.on.join(', ') },
          { head: words.order, cell: ({ handler }) => words.orders[handler.order] },
          { head: words.succeeded, as: 'number', cell: ({ succeeded }) => page.format.number(succeeded) },
          { head: words.waiting, as: 'number', cell: ({ waiting }) => page.format.number(waiting) },
          { head: words.dead, as: 'number', cell: (row) => <DeadCell row={row} /> },
        ]}
      />
      {pauses.length === 0 && <Pauses {...props} />}
      {day.handlers.size > 0 && (
        <h2>
          {page.words.charts.title}{' '}
          <span class="soft">
            {page.words.charts.asOf} <Time iso={instantText(page.now)} />
          </span>
        </h2>
      )}
      {rows.map(({ name, breaker }) => (
        <HandlerCharts handler={name} day={day} isOpen={breaker !== null} />
      ))}
      <h2>{words.uncovered}</h2>
      {uncovered.length === 0 ? (
        <p class="soft">{words.allCovered}</p>
      ) : (
        <p class="mono">{uncovered.map(({ kind }) => kind).join(', ')}</p>
      )}
    </Frame>
  );
};

const Pauses: FC<Pick<HandlersProps, 'page' | 'pauses' | 'left' | 'sources'>> = ({
  page,
  pauses,
  left,
  sources,
}) => (
  <>
    <h2 id="pauses">{page.words.pauses.title}</h2>
    {pauses.length === 0 ? <p class="soft">{page.words.pauses.nothing}</p> : <PauseTable pauses={pauses} />}
    {left > 0 && <p class="soft">{page.words.pauses.more(left)}</p>}
    {sources.length > 0 && (
      <PauseForm
        open={page.words.pauses.pauseSource}
        choose={{ part: 'source', names: sources }}
        explain={page.words.pauses.explainSource}
      />
    )}
  </>
);

interface Row {
  readonly handler: HandlerView;
  /** The name that its deliveries carry. */
  readonly name: string;
  readonly succeeded: number;
  readonly waiting: number;
  readonly dead: number;
  /** Its open breaker; null while it is closed. */
  readonly breaker: DispatchView['open_breakers'][number] | null;
  /** The pause of the whole handler. */
  readonly pause: PauseView | null;
}

/** A row for each handler, and one for the effects of each machine that has some. */
function rowsOf(
  handlers: readonly HandlerView[],
  byHandler: HandlersProps['byHandler'],
  openBreakers: HandlersProps['openBreakers'],
  pauses: HandlersProps['pauses'],
): readonly Row[] {
  return handlers.flatMap((handler) => {
    const names = [handler.name, ...(handler.effects.length > 0 ? [`${handler.name}/effects`] : [])];
    return names.map((name) => {
      const counts = byHandler.find((row) => row.handler === name);
      return {
        handler,
        name,
        succeeded: counts?.succeeded ?? 0,
        waiting: (counts?.pending ?? 0) + (counts?.running ?? 0),
        dead: counts?.dead ?? 0,
        breaker: openBreakers.find((row) => row.handler === name) ?? null,
        pause:
          pauses
            .map(({ pause }) => pause)
            .find((pause) => isWhole(pause) && [name, handler.name].includes(pause.handler ?? '')) ?? null,
      };
    });
  });
}

/** Whether a pause covers a handler as a whole. */
function isWhole({ source, subject }: PauseView): boolean {
  return source === null && subject === null;
}

const NameCell: FC<{ readonly row: Row }> = ({ row: { handler, name, breaker, pause } }) => {
  const { words: all, format, now } = usePage();
  const { handlers: words, pauses } = all;
  return (
    <div>
      <a id={`row-${name}`} href={`#handler-${name}`}>
        {name}
      </a>{' '}
      {handler.type === 'machine' && <State tone="off" word={words.machine} />}
      {breaker !== null && (
        <>
          <br />
          <State
            tone="bad"
            word={words.breakerOpen(
              Date.parse(breaker.until) > now ? format.duration(Date.parse(breaker.until) - now) : null,
            )}
          />{' '}
          <span class="error text">{breaker.reason}</span>
        </>
      )}
      {pause === null ? (
        <PauseForm open={pauses.pause} given={{ handler: name }} />
      ) : (
        <>
          <br />
          <State tone="warn" word={pauses.paused} /> <span class="soft text">{pause.reason}</span>
        </>
      )}
    </div>
  );
};

const DeadCell: FC<{ readonly row: Row }> = ({ row: { name, dead } }) =>
  dead === 0 ? (
    <>0</>
  ) : (
    <a class="bad" href={`/failures?handler=${encodeURIComponent(name)}`}>
      {usePage().format.number(dead)}
    </a>
  );
