/** The page of a handler: what waits for it and why, how its attempts went, and what failed. */
import type { FC } from 'hono/jsx';
import { attemptsOf, numberColumn, Numbers, shareColumn, Successes } from '../components/day-charts.tsx';
import { CountLink, eventsAddress, failuresAddress } from '../components/event-cells.tsx';
import { Facts, More, type Fact } from '../components/facts.tsx';
import { addressWith } from '../../pages/base-page.ts';
import { FailureGroups, isCapped, readFailures } from '../components/groups.tsx';
import { PauseForm, PauseLines } from '../components/pauses.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { mostOf, readDay, readHandlers, sumOf } from '../day.ts';
import { Frame } from '../frame.tsx';
import { usePage, type Page } from '../page.ts';
import { laneContext, Lanes, type LaneElsewhere } from './subject-story.tsx';
import { standingOf, StandingState } from './handlers.tsx';
import { effectsName } from '../../handle/define/machine.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/time/durations.ts';
import { laneReader, subjectLanes, type SubjectLane } from '../../operate/show/subject-lanes.ts';
import { subjectName } from '../../event/subject.ts';
import type { HandlerPoint } from '../../store/activity.ts';
import { createPauseLookup, type Pause } from '../../store/pauses.ts';
import type { SourceSubject } from '../../store/queries.ts';
import { dispatchView } from '../../view/dispatch-view.ts';
import { handlerView } from '../../view/handler-view.ts';
import { instantText } from '../../view/instant-text.ts';
import { pauseView } from '../../view/pause-view.ts';

/** Lanes that are shown, and waiting deliveries that are read to find them. */
const MAX_LANES = 5;
const MAX_READ = 200;
/** Kinds of error that are shown. */
const MAX_GROUPS = 5;

/** Adds the page of a handler, or of the effects of a machine. */
export function addHandlerPage(app: ConsoleApp, deps: PagesDeps): void {
  app.get('/handlers/:name', async (c) =>
    c.html(<HandlerPage {...await readHandler(deps, await deps.pageOf(c), c.req.param('name'))} />),
  );
}

type Shown = Awaited<ReturnType<typeof readHandler>>;

async function readHandler(deps: PagesDeps, page: Page, name: string) {
  const { store, registry, dispatcher } = deps;
  const { byHandler, pauses } = await store.totals();
  const counts = byHandler.find(({ handler }) => handler === name);
  const isClaimed = registry.deliveryNames.includes(name);
  if (!isClaimed && counts === undefined) throw new PortariaError('not-found', `There is no handler ${name}`);
  const whole = createPauseLookup(pauses).ofHandler(name);
  const monitoring = await store.monitoring();
  const dispatch = dispatchView({ ...monitoring, ...dispatcher.status() }, page);
  const { groups } = await readFailures(deps, page, { handler: name });
  const since = (ms: number) => readHandlers(store, deps.activity(), page.now - ms);
  const [hour, day] = [await since(HOUR_MS), await since(DAY_MS)];
  return {
    ...{ page, name, dispatch, groups, counts, rate: registry.rate(name) },
    /** Undefined for a handler that this process does not have. */
    definition: registry.definitions.find((each) => [each.name, effectsName(each.name)].includes(name)),
    openSince: monitoring.openBreakers.find(({ handler }) => handler === name)?.since,
    standing: standingOf(name, dispatch, { isClaimed, isPaused: whole !== undefined }),
    /** Those of the whole handler, and of sources. */
    pauses: pauses
      .filter(({ handler, subject }) => subject === null && (handler === null || handler === whole?.handler))
      .map(pauseView),
    /** Of the last hour, and of the last day. */
    periods: [hour.get(name), day.get(name)],
    day: await readDay(store, deps.activity(), page.now),
    ...(await waitingLanes(deps, page, name, whole)),
  };
}

/** The lanes that wait longest, by the oldest deliveries that wait. */
async function waitingLanes(
  deps: PagesDeps,
  page: Page,
  name: string,
  whole: Pause | undefined,
): Promise<{ readonly lanes: readonly LaneElsewhere[]; readonly lanesLeft: number }> {
  const { store, registry } = deps;
  const read = { order: 'oldest', limit: MAX_READ } as const;
  const oldest = await store.deliveries({ handler: name, status: 'pending' }, read);
  const context = await laneContext(deps, page);
  const definition = registry.runnable(name);
  const order = definition?.type === 'handler' ? definition.handler.order : 'subject';
  const lanes: (SubjectLane & { readonly of: SourceSubject })[] = [];
  const bySubject = Map.groupBy(oldest, ({ source, subject }) => `${source} ${subjectName(subject)}`);
  const firsts = [...bySubject.values()].flatMap(([first]) => first ?? []);
  const most = page.url.searchParams.has('all') ? MAX_READ : MAX_LANES;
  for (const first of firsts.slice(0, order === 'handler' ? 1 : most)) {
    const of = { source: first.source, subject: first.subject };
    const found = await subjectLanes(store, of, context);
    const own = found.find(({ handler }) => handler === name);
    // A lane that is no subject's is as its oldest delivery. In one for all, the others wait behind it.
    const alone = { ...first, running: false, byRate: first.rateUntil !== null };
    const behind = order === 'handler' ? oldest.length - 1 : 0;
    const more = order === 'handler' && oldest.length === MAX_READ;
    const lane = own ?? laneReader(of, context)({ handler: name, delivery: alone, behind, more });
    lanes.push({ ...lane, of });
  }
  const ids = lanes.map(({ delivery }) => delivery.eventId);
  const events = new Map((await store.events({ ids }, read)).map((event) => [event.id, event]));
  const shown = lanes.map(({ of, ...lane }) => {
    const event = events.get(lane.delivery.eventId);
    return {
      ...lane,
      // The page says once why the whole handler waits.
      ...(whole !== undefined && lane.state === 'paused' && { reason: null, pausedBy: null }),
      ...(lane.state === 'breaker' && { reason: null, goesOnAt: null }),
      subject: subjectName(of.subject),
      since: event === undefined ? null : instantText(event.receivedAt),
    };
  });
  return { lanes: shown, lanesLeft: order === 'handler' ? 0 : firsts.length - lanes.length };
}

const HandlerPage: FC<Shown> = (shown) => {
  const { page, name, pauses, groups, counts, lanes, lanesLeft } = shown;
  const { words: all, format } = page;
  const { handlers: words, columns } = all;
  const failures = failuresAddress(name);
  const failing = groups.reduce((sum, group) => sum + group.failing, 0);
  const figures = [
    [columns.waiting, <CountLink count={counts?.pending ?? 0} href="#waits" />],
    [words.running, format.number(counts?.running ?? 0)],
    [words.failing, <CountLink count={failing} more={groups.some(isCapped)} href={failures} />],
    [columns.failed, <CountLink count={counts?.dead ?? 0} href={failures} isBad />],
  ] as const;
  return (
    <Frame page={page} current="handlers" title={name}>
      <h1 class="mono">{name}</h1>
      <PauseLines pauses={pauses} />
      <Facts facts={factsOf(shown)} />
      {pauses.every(({ handler }) => handler === null) && (
        <PauseForm open={all.pauses.pause} given={{ handler: name }} />
      )}
      <dl class="figures">
        {figures.map(([head, count]) => (
          <div>
            <dt>{head}</dt>
            <dd>{count}</dd>
          </div>
        ))}
      </dl>
      <Lanes id="waits" title={words.waits} none={words.noWaits} lanes={lanes} />
      <More count={lanesLeft} href={`${addressWith(page.url, { all: 'true' })}#waits`} />
      <Attempts {...shown} />
      {groups.length > 0 && <h2>{words.failures}</h2>}
      {groups.length > 0 && <FailureGroups groups={groups.slice(0, MAX_GROUPS)} />}
      <More count={Math.max(0, groups.length - MAX_GROUPS)} href={failures} />
    </Frame>
  );
};

/** How it stands, and how it is defined: a line each. */
function factsOf({ page, name, definition, rate, dispatch, ...shown }: Shown): readonly (Fact | false)[] {
  const { words: all, format, now } = page;
  const { handlers: words, columns } = all;
  const breaker = dispatch.open_breakers.find(({ handler }) => handler === name);
  const waiting = dispatch.rates.waiting.find(({ handler }) => handler === name);
  const closed = dispatch.rates.closed.find(({ bucket }) => bucket === rate?.bucket);
  const probeMs = Date.parse(breaker?.until ?? '') - now;
  const view = definition && handlerView(definition, rate);
  return [
    [columns.state, <StandingState standing={shown.standing} />],
    breaker !== undefined && [
      words.breaker,
      <span class="error">
        {words.breakerOpen(
          shown.openSince === undefined ? '' : format.duration(now - shown.openSince),
          probeMs > 0 ? format.duration(probeMs) : null,
        )}{' '}
        {breaker.reason}
      </span>,
    ],
    rate !== undefined && [
      words.rate,
      <>
        {words.rateOf(rate)}
        {waiting !== undefined && ` · ${words.rateWaits(waiting.lanes)} `}
        {waiting !== undefined && <Time iso={waiting.until} as="relative" />}
        {closed !== undefined && ` · ${words.rateClosed} `}
        {closed !== undefined && <Time iso={closed.until} as="relative" />}
      </>,
    ],
    view !== undefined && [
      words.kinds,
      view.on.map((kind) => (
        <>
          <a class="mono" href={eventsAddress(kind)}>
            {kind}
          </a>{' '}
        </>
      )),
    ],
    view !== undefined && [words.order, words.orders[view.order]],
    view !== undefined && [columns.attempts, words.atMost(view.attempts)],
    definition?.transaction !== undefined && [words.transaction, words.once],
  ];
}

const number = numberColumn<HandlerPoint>;

/** How attempts went in the last hour and day, and in the hours of the day. */
const Attempts: FC<Shown> = ({ name, periods, day }) => {
  const { words, format } = usePage();
  const { charts, handlers, columns } = words;
  const points = day.handlers.get(name);
  const figures = [
    number(columns.attempts, (row) => format.number(sumOf(row, attemptsOf))),
    shareColumn(),
    number(charts.half, (row) => format.duration(mostOf(row, ({ p50Ms }) => p50Ms ?? 0))),
    number(charts.nearly, (row) => format.duration(mostOf(row, ({ p95Ms }) => p95Ms ?? 0))),
    number(charts.breaker, (row) => format.duration(sumOf(row, ({ breakerMs }) => breakerMs))),
  ];
  return (
    <>
      <h2>{columns.attempts}</h2>
      <Table
        rows={periods.map((point, at) => ({ at, points: point === undefined ? [] : [point] }))}
        columns={[
          { head: columns.from, cell: ({ at }) => handlers.periods[at] },
          {
            head: charts.course,
            cell: ({ at }) => at > 0 && points && <Successes handler={name} points={points} />,
          },
          ...figures,
        ]}
      />
      {points !== undefined && <Numbers steps={day.steps} points={points} columns={figures} />}
    </>
  );
};
