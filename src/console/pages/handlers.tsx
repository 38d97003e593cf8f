import type { FC } from 'hono/jsx';
import { State } from '../components/state.tsx';
import { Table } from '../components/table.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { usePage, type Page } from '../page.ts';
import { handlerCoverage } from '../../operate/handler-coverage.ts';
import type { StoreTotals } from '../../store/queries.ts';
import { dispatchView, type DispatchView } from '../../view/dispatch-view.ts';
import type { CoverageView, HandlerView } from '../../view/handler-view.ts';

/** Adds the list of handlers and machines, with their numbers and pauses. */
export function addHandlersPage(app: ConsoleApp, deps: PagesDeps): void {
  const { store, registry, dispatcher, pageOf } = deps;
  app.get('/handlers', async (c) => {
    const page = await pageOf(c);
    const { handlers, coverage } = handlerCoverage(registry);
    const { byHandler } = await store.totals();
    const { paused } = dispatchView(dispatcher.status(), page);
    return c.html(<HandlersPage page={page} {...{ handlers, coverage, byHandler, paused }} />);
  });
}

interface HandlersProps {
  readonly page: Page;
  readonly handlers: readonly HandlerView[];
  readonly coverage: readonly CoverageView[];
  readonly byHandler: StoreTotals['byHandler'];
  readonly paused: DispatchView['paused'];
}

const HandlersPage: FC<HandlersProps> = ({ page, handlers, coverage, byHandler, paused }) => {
  const words = page.words.handlers;
  const uncovered = coverage.filter(({ covered }) => !covered);
  return (
    <Frame page={page} current="handlers" title={words.title}>
      <h1>{words.title}</h1>
      <p class="lead">{words.lead}</p>
      <Table
        rows={rowsOf(handlers, byHandler, paused)}
        columns={[
          { head: words.name, as: 'code', cell: (row) => <NameCell row={row} /> },
          { head: words.kinds, as: 'code', cell: ({ handler }) => handler.on.join(', ') },
          { head: words.order, cell: ({ handler }) => words.orders[handler.order] },
          { head: words.succeeded, as: 'number', cell: ({ succeeded }) => page.format.number(succeeded) },
          { head: words.waiting, as: 'number', cell: ({ waiting }) => page.format.number(waiting) },
          { head: words.dead, as: 'number', cell: (row) => <DeadCell row={row} /> },
        ]}
      />
      <h2>{words.uncovered}</h2>
      {uncovered.length === 0 ? (
        <p class="soft">{words.allCovered}</p>
      ) : (
        <p class="mono">{uncovered.map(({ kind }) => kind).join(', ')}</p>
      )}
    </Frame>
  );
};

interface Row {
  readonly handler: HandlerView;
  /** The name that its deliveries carry. */
  readonly name: string;
  readonly succeeded: number;
  readonly waiting: number;
  readonly dead: number;
  /** Why its breaker is open; null while it is closed. */
  readonly pausedBy: string | null;
}

/** A row for each handler, and one for the effects of each machine that has some. */
function rowsOf(
  handlers: readonly HandlerView[],
  byHandler: HandlersProps['byHandler'],
  paused: HandlersProps['paused'],
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
        pausedBy: paused.find((row) => row.handler === name)?.reason ?? null,
      };
    });
  });
}

const NameCell: FC<{ readonly row: Row }> = ({ row: { handler, name, pausedBy } }) => {
  const words = usePage().words.handlers;
  return (
    <>
      {name} {handler.type === 'machine' && <State tone="off" word={words.machine} />}
      {pausedBy !== null && (
        <>
          <br />
          <State tone="bad" word={words.paused} /> <span class="error">{pausedBy}</span>
        </>
      )}
    </>
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
