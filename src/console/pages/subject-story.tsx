/** The story of a subject above its events. */
import type { FC } from 'hono/jsx';
import type { StatesAlong } from '../components/orders.tsx';
import { Facts, Listed, type ListedProps } from '../components/facts.tsx';
import { HandlerLink, SubjectLink } from '../components/event-cells.tsx';
import { State, type Tone } from '../../pages/state.tsx';
import { Time } from '../../pages/time.tsx';
import type { PagesDeps } from '../console-deps.ts';
import { may, usePage, type Page } from '../page.ts';
import { planAddress } from '../plan-address.ts';
import type { Subject } from '../../event/subject.ts';
import { phasesOf } from '../../store/state-phases.ts';
import { machinePath } from '../../operate/show/machine-path.ts';
import { subjectLanes, type LaneState, type SubjectLane } from '../../operate/show/subject-lanes.ts';
import type { Hold } from '../../store/privacy.ts';
import type { MachineState } from '../../store/machine-states.ts';
import { instantText } from '../../view/instant-text.ts';
import type { TimelineEntryView } from '../../view/timeline-view.ts';
import { errorText } from '../../view/payload/unmasking.ts';
import { machineAddress } from './machines.tsx';

/** Machines whose states stand along the axis, at most. */
const MAX_MACHINES = 3;

/** What a subject's page tells besides its events. */
export interface SubjectStory {
  readonly sources: readonly string[];
  /** When the first and the last event arrived. ISO 8601; null for a pruned row. */
  readonly first: string | null;
  readonly last: string | null;
  readonly hold: Hold | null;
  /** The lanes that are not empty, of all sources. */
  readonly lanes: readonly SubjectLane[];
  readonly states: readonly MachineState[];
  /** The states of machines along the events of the page. */
  readonly along: readonly StatesAlong[];
}

type LaneDeps = Pick<PagesDeps, 'store' | 'registry' | 'dispatcher'>;

/** Reads what decides whether lanes go on. */
export async function laneContext({ store, registry, dispatcher }: LaneDeps, { unmask, now }: Page) {
  const { openBreakers } = dispatcher.status();
  return { handlers: registry.deliveryNames, openBreakers, pauses: await store.pauses(), unmask, now };
}

/** Reads the story of a subject for one page of its events. */
export async function subjectStory(
  deps: LaneDeps,
  page: Page,
  {
    subject,
    ends,
    entries,
  }: {
    readonly subject: Subject;
    readonly ends: readonly [first: string, last: string];
    readonly entries: readonly TimelineEntryView[];
  },
): Promise<SubjectStory> {
  const { store, registry } = deps;
  const { unmask } = page;
  const sources = await store.sourcesOf(subject);
  const seen = await store.events({ ids: ends }, { order: 'oldest', limit: 2 });
  const holds = await store.holds();
  const context = await laneContext(deps, page);
  const lanes: SubjectLane[] = [];
  for (const source of sources) lanes.push(...(await subjectLanes(store, { source, subject }, context)));
  const states = await store.listMachineStates({ subject, limit: 100 });
  const along: StatesAlong[] = [];
  for (const state of states.slice(0, MAX_MACHINES)) {
    const machine = registry.definitions.find(({ name }) => name === state.machine);
    const until = entries.filter(({ source }) => source === state.source).map(({ id }) => id);
    if (machine?.type !== 'machine' || until.length === 0) continue;
    const { steps } = await machinePath(store, machine, { source: state.source, subject }, { until, unmask });
    along.push({
      machine: machine.name,
      address: machineAddress(machine.name, `${subject.family}:${subject.id}`, state.source),
      phases: new Map(steps.flatMap(({ eventId, phases }) => (phases.length > 0 ? [[eventId, phases]] : []))),
      anomalous: new Set(steps.flatMap(({ eventId, anomalies }) => (anomalies.length > 0 ? [eventId] : []))),
    });
  }
  const at = (event: (typeof seen)[number] | undefined): string | null =>
    event === undefined ? null : instantText(event.receivedAt);
  return {
    sources,
    first: at(seen[0]),
    last: at(seen.at(-1)),
    hold:
      holds.find((hold) => hold.subject.family === subject.family && hold.subject.id === subject.id) ?? null,
    lanes,
    states,
    along,
  };
}

/** When a subject was seen, who sent it, who holds it, and its states. */
export const SubjectFacts: FC<{ readonly story: SubjectStory; readonly subject: string }> = ({
  story,
  subject,
}) => {
  const words = usePage().words.story;
  return (
    <Facts
      facts={[
        [words.first, <Time iso={story.first} />],
        [words.last, <Time iso={story.last} />],
        [words.sources, story.sources.join(', ')],
        story.hold !== null && [words.held, words.heldBy(story.hold.placedBy, story.hold.reason)],
        [
          words.machines,
          story.states.length === 0 ? (
            <span class="soft">{words.noMachines}</span>
          ) : (
            story.states.map((state) => <MachineLine state={state} subject={subject} />)
          ),
        ],
      ]}
    />
  );
};

const MachineLine: FC<{ readonly state: MachineState; readonly subject: string }> = ({ state, subject }) => {
  const page = usePage();
  const { words, format } = page;
  const { machine, source, anomalies } = state;
  return (
    <div>
      <a href={machineAddress(machine, subject, source)}>
        <span class="mono">{machine}</span>
      </a>{' '}
      <b>{errorText(phasesOf(state.state).join(', '), page)}</b>
      {source !== 'default' && <span class="soft"> {source}</span>}
      {anomalies > 0 && (
        <>
          {' '}
          <a class="bad" href={machineAddress(machine, subject, source)} title={words.machines.anomalyMeans}>
            {words.machines.anomaliesOf(format.number(anomalies), anomalies === 1)}
          </a>
        </>
      )}
    </div>
  );
};

const tones: Readonly<Record<LaneState, Tone>> = {
  running: 'warn',
  unclaimed: 'bad',
  paused: 'warn',
  held: 'bad',
  breaker: 'bad',
  retry: 'bad',
  later: 'warn',
  rate: 'warn',
  due: 'warn',
};

/** A lane on a page that is not its subject's. */
export interface LaneElsewhere extends SubjectLane {
  readonly subject: string;
  /** When the event at its head arrived, in ISO 8601; null for a pruned one. */
  readonly since: string | null;
}

interface LanesProps extends Pick<ListedProps<SubjectLane>, 'id' | 'title' | 'none'> {
  readonly lanes: readonly (SubjectLane | LaneElsewhere)[];
}

/** Lanes in which something waits, and why, each with its handler, or with its subject on the page of the handler. */
export const Lanes: FC<LanesProps> = ({ lanes, ...listed }) => {
  const page = usePage();
  const { words, format } = page;
  const { story, columns } = words;
  return (
    <Listed
      {...listed}
      rows={lanes}
      columns={[
        {
          head: lanes.some((lane) => 'subject' in lane) ? columns.subject : columns.handler,
          as: 'code',
          cell: (lane) =>
            'subject' in lane ? <SubjectLink subject={lane.subject} /> : <HandlerLink name={lane.handler} />,
        },
        {
          head: columns.state,
          cell: ({ state }) => <State tone={tones[state]} word={story.states[state]} />,
        },
        {
          head: story.next,
          cell: (lane) => (
            <>
              <a class="mono" href={`/events/${lane.delivery.eventId}`}>
                {lane.delivery.kind}
              </a>{' '}
              {'since' in lane && <Time iso={lane.since} as="relative" />}
            </>
          ),
        },
        { head: columns.why, cell: (lane) => <Why lane={lane} /> },
        {
          head: story.behind,
          cell: ({ behind, more }) =>
            behind === 0 ? (
              <span class="soft">{story.nothingBehind}</span>
            ) : (
              story.behindOf(format.number(behind, more))
            ),
        },
        may(page, 'operate') && { head: words.groups.act, cell: (lane) => <LaneActions lane={lane} /> },
      ]}
    />
  );
};

/** What lets a lane go on: the failed delivery again, or without the one at its head. */
const LaneActions: FC<{ readonly lane: SubjectLane }> = ({ lane: { state, failed, delivery } }) => {
  const { groups, story } = usePage().words;
  if (state === 'running') return null;
  if (failed === null)
    return <a href={planAddress('discard', { ids: delivery.id, status: 'pending' })}>{story.skip}</a>;
  return (
    <span class="links">
      <a href={planAddress('retry', { ids: failed })}>{groups.retry}</a>{' '}
      <a href={planAddress('discard', { ids: failed })}>{groups.discard}</a>
    </span>
  );
};

const Why: FC<{ readonly lane: SubjectLane }> = ({ lane }) => {
  const { state, delivery, goesOnAt, reason, pausedBy, failed } = lane;
  const { story, pauses, frame } = usePage().words;
  return (
    <>
      {state === 'running' && story.tryOf(Math.max(1, delivery.attempts))}
      {state === 'unclaimed' && story.unclaimedWhy}
      {state === 'due' && story.dueWhy}
      {failed !== null && pauses.failed(failed)}
      {pausedBy !== null && story.pausedBy(frame.visitor(pausedBy))}
      {pausedBy !== null && delivery.attempts > 0 && ','}
      {delivery.attempts > 0 && state !== 'running' && ` ${story.afterTries(delivery.attempts)}`}
      {goesOnAt !== null && (
        <>
          {(delivery.attempts > 0 || pausedBy !== null) && ', '}
          {state === 'retry' ? story.nextAttempt : story.goesOn}{' '}
          <Time iso={instantText(goesOnAt)} as="relative" />
        </>
      )}
      {reason !== null && <p class={pausedBy === null ? 'error' : undefined}>{reason}</p>}
    </>
  );
};
