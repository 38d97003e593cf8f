/** The list of handlers, and what is paused. */
import type { FC } from 'hono/jsx';
import { CountLink, failuresAddress, handlerAddress, HandlerLink } from '../components/event-cells.tsx';
import { PauseForm, PauseTable } from '../components/pauses.tsx';
import { State } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { readHandlers } from '../day.ts';
import { Frame } from '../frame.tsx';
import { shownPauses } from './pauses.tsx';
import { usePage, type Page } from '../page.ts';
import { createPauseLookup } from '../../store/pauses.ts';
import { DAY_MS } from '../../kernel/time/durations.ts';
import { dispatchView, type DispatchView } from '../../view/dispatch-view.ts';

/** Adds the list of handlers and machines: what waits for each, and what keeps it from running. */
export function addHandlersPage(app: ConsoleApp, deps: PagesDeps): void {
  app.get('/handlers', async (c) => c.html(<HandlersPage {...await readAll(deps, await deps.pageOf(c))} />));
}

async function readAll({ store, registry, dispatcher, activity }: PagesDeps, page: Page) {
  const { byHandler, pauses: all } = await store.totals();
  const monitoring = await store.monitoring();
  const dispatch = dispatchView({ ...monitoring, ...dispatcher.status() }, page);
  const groups = await store.failureGroups({});
  const failing = Map.groupBy(groups, ({ handler }) => handler);
  const attempts = await readHandlers(store, activity(), page.now - DAY_MS);
  const lookup = createPauseLookup(all);
  const others = byHandler.filter(({ pending, running, dead }) => pending + running + dead > 0);
  const names = new Set([...registry.deliveryNames, ...others.map(({ handler }) => handler)]);
  const rows = [...names].map((name) => {
    const { pending = 0, dead = 0 } = byHandler.find(({ handler }) => handler === name) ?? {};
    return {
      ...{ name, waiting: pending, dead, rate: registry.rate(name) },
      /** Of the attempts of 24 hours; null without any. */
      p95Ms: attempts.get(name)?.p95Ms ?? null,
      failing: failing.get(name)?.reduce((sum, group) => sum + group.failing, 0) ?? 0,
      standing: standingOf(name, dispatch, {
        isClaimed: registry.deliveryNames.includes(name),
        isPaused: lookup.ofHandler(name) !== undefined,
      }),
    };
  });
  const pauses = await shownPauses(store, all, groups);
  /** The sources from which events came. */
  const sources = [...new Set(monitoring.received.map(({ source }) => source))];
  return { page, rows, pauses, sources, left: all.length - pauses.length };
}

/** What keeps the deliveries of a handler from starting; null where nothing does. */
export type Standing = 'unclaimed' | 'paused' | 'breaker' | 'rate' | null;

export function standingOf(
  name: string,
  { open_breakers: open, rates }: Pick<DispatchView, 'open_breakers' | 'rates'>,
  { isClaimed, isPaused }: { readonly isClaimed: boolean; readonly isPaused: boolean },
): Standing {
  if (!isClaimed) return 'unclaimed';
  if (isPaused) return 'paused';
  if (open.some(({ handler }) => handler === name)) return 'breaker';
  return rates.waiting.some(({ handler }) => handler === name) ? 'rate' : null;
}

/** The state of a handler, in colour and in a word. */
export const StandingState: FC<{ readonly standing: Standing }> = ({ standing }) => {
  const { handlers, story } = usePage().words;
  if (standing === null) return <State tone="ok" word={handlers.runs} />;
  const isBad = standing === 'unclaimed' || standing === 'breaker';
  return <State tone={isBad ? 'bad' : 'warn'} word={story.states[standing]} />;
};

const HandlersPage: FC<Awaited<ReturnType<typeof readAll>>> = ({ page, rows, pauses, left, sources }) => {
  const { format, words: all } = page;
  const { handlers: words, columns } = all;
  return (
    <Frame page={page} current="handlers" title={page.words.frame.names.handlers}>
      <h1>{page.words.frame.names.handlers}</h1>
      <p class="lead">{words.lead}</p>
      <Table
        rows={rows}
        id={({ name }) => `h-${name}`}
        columns={[
          { head: words.name, as: 'code', cell: ({ name }) => <HandlerLink name={name} /> },
          {
            head: columns.waiting,
            as: 'number',
            cell: ({ name, waiting }) => <CountLink count={waiting} href={`${handlerAddress(name)}#waits`} />,
          },
          {
            head: words.failing,
            as: 'number',
            cell: ({ name, failing }) => <CountLink count={failing} href={failuresAddress(name)} />,
          },
          {
            head: columns.failed,
            as: 'number',
            cell: ({ name, dead }) => <CountLink count={dead} href={failuresAddress(name)} isBad />,
          },
          {
            head: all.charts.nearly,
            as: 'number',
            cell: ({ p95Ms }) => (p95Ms === null ? '–' : format.duration(p95Ms)),
          },
          {
            head: columns.state,
            cell: ({ standing, rate }) => (
              <>
                <StandingState standing={standing} />{' '}
                {rate !== undefined && <span class="soft">{words.rateOf(rate)}</span>}
              </>
            ),
          },
        ]}
      />
      <PauseTable pauses={pauses} />
      {left > 0 && <p class="soft">{all.list.left(left)}</p>}
      {sources.length > 0 && (
        <PauseForm open={all.pauses.pauseSource} choose={{ part: 'source', names: sources }} />
      )}
    </Frame>
  );
};
