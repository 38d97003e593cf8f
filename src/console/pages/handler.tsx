/** The page of a handler: what waits for it and why, how its attempts went, and what failed. */
import type { FC } from 'hono/jsx';
import { attemptsOf, numberColumn, Numbers, shareColumn, Successes } from '../components/day-charts.tsx';
import { CountLink, eventsAddress, failuresAddress } from '../components/event-cells.tsx';
import { Facts, type Fact } from '../components/facts.tsx';
import {
  FailureGroups,
  findOvertaken,
  lastRetries,
  MAX_SORTED,
  type OvertakenFailures,
  isCapped,
} from '../components/groups.tsx';
import { PauseForm, PauseLines } from '../components/pauses.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { mostOf, readDay, readHandlers, sumOf, type Day } from '../day.ts';
import { Frame } from '../frame.tsx';
import { usePage, type Page } from '../page.ts';
import { laneContext, Lanes, type LaneElsewhere } from './subject-story.tsx';
import { standingOf, StandingState, type Standing } from './handlers.tsx';
import { effectsName } from '../../handle/define/machine.ts';
import type { Rate } from '../../handle/load/rates.ts';
import type { Definition } from '../../handle/define/definition.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/time/durations.ts';
import { laneReader, subjectLanes, type SubjectLane } from '../../operate/show/subject-lanes.ts';
import { subjectName } from '../../event/subject.ts';
import type { HandlerPoint } from '../../store/activity.ts';
import type { JobRecord } from '../../store/jobs.ts';
import { createPauseLookup, type Pause } from '../../store/pauses.ts';
import type { SourceSubject, StoreTotals } from '../../store/queries.ts';
import { dispatchView, type DispatchView } from '../../view/dispatch-view.ts';
import { failureGroupView, type FailureGroupView } from '../../view/failure-view.ts';
import { handlerView } from '../../view/handler-view.ts';
import { instantText } from '../../view/instant-text.ts';
import { pauseView, type PauseView } from '../../view/pause-view.ts';

/** Lanes that are shown, and waiting deliveries that are read to find them. */
const MAX_LANES = 8;
const MAX_READ = 200;
/** Kinds of error that are shown. */
const MAX_GROUPS = 10;

/** Adds the page of a handler, or of the effects of a machine. */
export function addHandlerPage(app: ConsoleApp, deps: PagesDeps): void {
  const { store, registry, dispatcher, pageOf } = deps;
  app.get('/handlers/:name', async (c) => {
    const page = await pageOf(c);
    const name = c.req.param('name');
    const { byHandler, pauses } = await store.totals();
    const counts = byHandler.find(({ handler }) => handler === name);
    const definition = registry.definitions.find((each) =>
      [each.name, effectsName(each.name)].includes(name),
    );
    const isClaimed = registry.deliveryNames.includes(name);
    if (!isClaimed && counts === undefined)
      throw new PortariaError('not-found', `There is no handler ${name}`);
    const whole = createPauseLookup(pauses).ofHandler(name);
    const dispatch = dispatchView({ ...(await store.monitoring()), ...dispatcher.status() }, page);
    const groups = await store.failureGroups({ handler: name });
    const since = (ms: number) => readHandlers(store, deps.activity(), page.now - ms);
    const [hour, day] = [await since(HOUR_MS), await since(DAY_MS)];
    const shown: HandlerProps = {
      ...{ page, name, definition, rate: registry.rate(name), dispatch },
      standing: standingOf(name, dispatch, { isClaimed, isPaused: whole !== undefined }),
      pauses: pauses
        .filter(
          ({ handler, subject }) => subject === null && (handler === null || handler === whole?.handler),
        )
        .map(pauseView),
      counts: counts ?? {},
      failing: groups.reduce((sum, { failing }) => sum + failing, 0),
      groups: groups.slice(0, MAX_GROUPS).map((group) => failureGroupView(group, page)),
      retries: await lastRetries(store),
      overtaken: await findOvertaken(
        deps,
        await store.deliveries({ handler: name, status: 'dead' }, { order: 'newest', limit: MAX_SORTED }),
      ),
      periods: [hour.get(name), day.get(name)],
      day: await readDay(store, deps.activity(), page.now),
      lanes: await waitingLanes(deps, page, name, whole),
    };
    return c.html(<HandlerPage {...shown} />);
  });
}

/** The lanes that wait longest, by the oldest deliveries that wait. */
async function waitingLanes(
  deps: PagesDeps,
  page: Page,
  name: string,
  whole: Pause | undefined,
): Promise<readonly LaneElsewhere[]> {
  const { store, registry } = deps;
  const read = { order: 'oldest', limit: MAX_READ } as const;
  const oldest = await store.deliveries({ handler: name, status: 'pending' }, read);
  const context = await laneContext(deps, page);
  const definition = registry.runnable(name);
  const order = definition?.type === 'handler' ? definition.handler.order : 'subject';
  const lanes: (SubjectLane & { readonly of: SourceSubject })[] = [];
  const bySubject = Map.groupBy(oldest, ({ source, subject }) => `${source} ${subjectName(subject)}`);
  const firsts = [...bySubject.values()].flatMap(([first]) => first ?? []);
  for (const first of firsts.slice(0, order === 'handler' ? 1 : MAX_LANES)) {
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
  return lanes.map(({ of, ...lane }) => {
    const event = events.get(lane.delivery.eventId);
    return {
      ...lane,
      // The page says once why the whole handler is paused.
      ...(whole !== undefined && lane.state === 'paused' && { reason: null, pausedBy: null }),
      subject: subjectName(of.subject),
      since: event === undefined ? null : instantText(event.receivedAt),
    };
  });
}

interface HandlerProps {
  readonly page: Page;
  readonly name: string;
  /** Undefined for a handler that this process does not have. */
  readonly definition: Definition | undefined;
  readonly rate: Rate | undefined;
  readonly dispatch: DispatchView;
  readonly standing: Standing;
  /** Those of the whole handler, and of sources. */
  readonly pauses: readonly PauseView[];
  readonly counts: Partial<StoreTotals['byHandler'][number]>;
  /** Deliveries that failed and wait for a retry. */
  readonly failing: number;
  readonly groups: readonly FailureGroupView[];
  readonly retries: readonly JobRecord[];
  readonly overtaken: OvertakenFailures;
  /** Of the last hour, and of the last day. */
  readonly periods: readonly (HandlerPoint | undefined)[];
  readonly day: Day;
  readonly lanes: readonly LaneElsewhere[];
}

const HandlerPage: FC<HandlerProps> = (props) => {
  const { page, name, standing, pauses, groups, retries, overtaken, lanes, counts, failing } = props;
  const { words: all, format } = page;
  const { handlers: words, columns } = all;
  const failures = failuresAddress(name);
  const figures = [
    [words.waiting, <CountLink count={counts.pending ?? 0} href="#waits" />],
    [words.running, format.number(counts.running ?? 0)],
    [words.failing, <CountLink count={failing} more={groups.some(isCapped)} href={failures} />],
    [columns.failed, <CountLink count={counts.dead ?? 0} href={failures} isBad />],
  ] as const;
  return (
    <Frame page={page} current="handlers" title={name}>
      <h1 class="mono">{name}</h1>
      <PauseLines pauses={pauses} />
      <Facts facts={factsOf(props)} />
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
      <Attempts {...props} />
      {groups.length > 0 && <h2>{words.failures}</h2>}
      {groups.length > 0 && (
        <FailureGroups {...{ groups, retries, overtaken }} isPaused={() => standing === 'paused'} />
      )}
    </Frame>
  );
};

/** How it stands, and how it is defined: a line each. */
function factsOf({
  page,
  name,
  definition,
  rate,
  dispatch,
  standing,
}: HandlerProps): readonly (Fact | false)[] {
  const { words: all, format, now } = page;
  const { handlers: words, columns } = all;
  const breaker = dispatch.open_breakers.find(({ handler }) => handler === name);
  const waiting = dispatch.rates.waiting.find(({ handler }) => handler === name);
  const closed = dispatch.rates.closed.find(({ bucket }) => bucket === rate?.bucket);
  const probeMs = Date.parse(breaker?.until ?? '') - now;
  const view = definition && handlerView(definition, rate);
  return [
    [columns.state, <StandingState standing={standing} />],
    breaker !== undefined && [
      words.breaker,
      <span class="error">
        {words.breakerOpen(probeMs > 0 ? format.duration(probeMs) : null)} {breaker.reason}
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
const Attempts: FC<HandlerProps> = ({ name, periods, day }) => {
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
