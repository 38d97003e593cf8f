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
import { subjectName, type Subject } from '../../event/subject.ts';
import { phasesOf } from '../../store/state-phases.ts';
import { machinePath } from '../../operate/show/machine-path.ts';
import { subjectLanes, type LaneState, type SubjectLane } from '../../operate/show/subject-lanes.ts';
import type { Anomaly, MachineState } from '../../store/machine-states.ts';
import { instantText } from '../../view/instant-text.ts';
import type { TimelineEntryView } from '../../view/timeline-view.ts';
import { errorText } from '../../view/payload/unmasking.ts';
import { machineAddress } from './machines.tsx';

/** Machines whose states stand along the axis, at most. */
const MAX_MACHINES = 3;
/** Events in which the last to arrive is found: a released one is stored after those that came meanwhile. */
const MAX_NEWEST = 50;

type LaneDeps = Pick<PagesDeps, 'store' | 'registry' | 'dispatcher'>;

/** Reads what decides whether lanes go on. */
export async function laneContext({ store, registry, dispatcher }: LaneDeps, { unmask, now }: Page) {
  const { openBreakers } = dispatcher.status();
  return { handlers: registry.deliveryNames, openBreakers, pauses: await store.pauses(), unmask, now };
}

/** Reads the story of a subject for one page of its events. */
export async function subjectStory(deps: LaneDeps, page: Page, { subject, sources, ends, entries }: Told) {
  const { store, registry } = deps;
  const { unmask } = page;
  const newest = await store.events({ subject }, { order: 'newest', limit: MAX_NEWEST });
  const [oldest] = await store.events({ ids: [ends[0]] }, { order: 'oldest', limit: 1 });
  const times = [...newest, ...(oldest === undefined ? [] : [oldest])].map(({ receivedAt }) => receivedAt);
  const [first, last] = [instantText(Math.min(...times)), instantText(Math.max(...times))];
  const hold = (await store.holds()).find((each) => subjectName(each.subject) === subjectName(subject));
  const context = await laneContext(deps, page);
  const lanes: SubjectLane[] = [];
  for (const source of sources) lanes.push(...(await subjectLanes(store, { source, subject }, context)));
  const states: StateLine[] = [];
  for (const state of await store.listMachineStates({ subject, limit: 100 })) {
    const [anomaly] = await store.anomalies(state.machine, state.source, subject, 1);
    const address = machineAddress(state.machine, subjectName(subject), state.source);
    states.push({ ...state, anomaly, address });
  }
  const along: StatesAlong[] = [];
  for (const { machine: name, source, address } of states.slice(0, MAX_MACHINES)) {
    const machine = registry.definitions.find((each) => each.name === name);
    const until = entries.filter((entry) => entry.source === source).map(({ id }) => id);
    if (machine?.type !== 'machine' || until.length === 0) continue;
    const { steps } = await machinePath(store, machine, { source, subject }, { until, unmask });
    along.push({ machine: name, address, steps });
  }
  return { sources, first, last, hold, lanes, states, along };
}

/** What a subject's page has read when it asks for the story. */
interface Told {
  readonly subject: Subject;
  readonly sources: readonly string[];
  readonly ends: readonly [first: string, last: string];
  readonly entries: readonly TimelineEntryView[];
}

interface StateLine extends MachineState {
  /** The latest one. */
  readonly anomaly: Anomaly | undefined;
  readonly address: string;
}

/** When a subject was seen, who sent it, who holds it, and its states. */
export const SubjectFacts: FC<{ readonly story: Awaited<ReturnType<typeof subjectStory>> }> = ({ story }) => {
  const page = usePage();
  const { words, format } = page;
  const { first, last, sources, hold, states } = story;
  return (
    <Facts
      facts={[
        [words.story.first, <Time iso={first} />],
        [words.story.last, <Time iso={last} />],
        [words.story.sources, sources.join(', ')],
        hold !== undefined && [
          words.story.held,
          words.story.heldBy(words.frame.visitor(hold.placedBy), errorText(hold.reason, page)),
        ],
        states.length > 0 && [
          words.story.machines,
          states.map(({ machine, source, state, address, anomalies, anomaly }) => (
            <div>
              <a class="mono" href={address}>
                {machine}
              </a>{' '}
              <b>{errorText(phasesOf(state).join(', '), page)}</b>
              {source !== 'default' && <span class="soft"> {source}</span>}
              {anomaly !== undefined && (
                <>
                  {' '}
                  <a class="bad" href={address} title={words.machines.anomalyMeans}>
                    {words.machines.anomaliesOf(format.number(anomalies), anomalies === 1)}
                  </a>
                  {': '}
                  <a href={`/events/${anomaly.eventId}`}>
                    {words.machines.anomaly(errorText(anomaly.message, page))}
                  </a>
                </>
              )}
            </div>
          )),
        ],
      ]}
    />
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
        lanes.some(hasWhy) && { head: columns.why, cell: (lane) => <Why lane={lane} /> },
        {
          head: story.behind,
          cell: ({ behind, more }) =>
            behind === 0 ? (
              <span class="soft">{story.nothingBehind}</span>
            ) : (
              story.behindOf(format.number(behind, more))
            ),
        },
        may(page, 'operate') && { head: words.columns.action, cell: (lane) => <LaneActions lane={lane} /> },
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

/** Of a pause or breaker that the page has told of already, nothing is left to say. */
const hasWhy = ({ state, delivery, goesOnAt, reason, pausedBy }: SubjectLane): boolean =>
  (state !== 'paused' && state !== 'breaker') ||
  (goesOnAt ?? reason ?? pausedBy) !== null ||
  delivery.attempts > 0;

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
