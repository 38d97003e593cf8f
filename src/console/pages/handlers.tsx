/** The list of handlers, and what is paused. */
import type { FC } from 'hono/jsx';
import { CountLink, failuresAddress, handlerAddress, HandlerLink } from '../components/event-cells.tsx';
import { PauseForm, PauseTable, type ShownPause } from '../components/pauses.tsx';
import { State } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { readHandlers } from '../day.ts';
import { Frame } from '../frame.tsx';
import { shownPauses } from './pauses.tsx';
import { usePage, type Page } from '../page.ts';
import type { Rate } from '../../handle/load/rates.ts';
import { createPauseLookup } from '../../store/pauses.ts';
import { DAY_MS } from '../../kernel/time/durations.ts';
import { dispatchView, type DispatchView } from '../../view/dispatch-view.ts';

/** Adds the list of handlers and machines: what waits for each, and what keeps it from running. */
export function addHandlersPage(app: ConsoleApp, deps: PagesDeps): void {
  const { store, registry, dispatcher, pageOf } = deps;
  app.get('/handlers', async (c) => {
    const page = await pageOf(c);
    const { byHandler, pauses: all } = await store.totals();
    const monitoring = await store.monitoring();
    const dispatch = dispatchView({ ...monitoring, ...dispatcher.status() }, page);
    const groups = await store.failureGroups({});
    const failing = Map.groupBy(groups, ({ handler }) => handler);
    const attempts = await readHandlers(store, deps.activity(), page.now - DAY_MS);
    const lookup = createPauseLookup(all);
    const others = byHandler.filter(({ pending, running, dead }) => pending + running + dead > 0);
    const names = new Set([...registry.deliveryNames, ...others.map(({ handler }) => handler)]);
    const rows = [...names].map((name): Row => {
      const { pending = 0, dead = 0 } = byHandler.find(({ handler }) => handler === name) ?? {};
      return {
        rate: registry.rate(name),
        ...{ name, waiting: pending, dead, p95Ms: attempts.get(name)?.p95Ms ?? null },
        failing: failing.get(name)?.reduce((sum, group) => sum + group.failing, 0) ?? 0,
        standing: standingOf(name, dispatch, {
          isClaimed: registry.deliveryNames.includes(name),
          isPaused: lookup.ofHandler(name) !== undefined,
        }),
      };
    });
    const pauses = await shownPauses(store, all, groups);
    const shown = {
      page,
      rows,
      pauses,
      sources: [...new Set(monitoring.received.map(({ source }) => source))],
    };
    return c.html(<HandlersPage {...shown} left={all.length - pauses.length} />);
  });
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

interface Row {
  /** The name that its deliveries carry. */
  readonly name: string;
  readonly waiting: number;
  readonly failing: number;
  readonly dead: number;
  /** Of the attempts of 24 hours; null without any. */
  readonly p95Ms: number | null;
  readonly standing: Standing;
  readonly rate: Rate | undefined;
}

interface HandlersProps {
  readonly page: Page;
  readonly rows: readonly Row[];
  readonly pauses: readonly ShownPause[];
  /** Pauses that are not shown. */
  readonly left: number;
  /** The sources from which events came. */
  readonly sources: readonly string[];
}

const HandlersPage: FC<HandlersProps> = (props) => {
  const { page, rows, pauses, left, sources } = props;
  const { format, words: all } = page;
  const { handlers: words, columns } = all;
  return (
    <Frame page={page} current="handlers" title={page.words.frame.names.handlers}>
      <h1>{page.words.frame.names.handlers}</h1>
      <p class="lead">{words.lead}</p>
      <Table
        rows={rows}
        columns={[
          { head: words.name, as: 'code', cell: ({ name }) => <HandlerLink name={name} /> },
          {
            head: words.waiting,
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
      {left > 0 && <p class="soft">{all.pauses.more(left)}</p>}
      {sources.length > 0 && (
        <PauseForm open={all.pauses.pauseSource} choose={{ part: 'source', names: sources }} />
      )}
    </Frame>
  );
};
