/** The page of a subject. */
import type { FC } from 'hono/jsx';
import { ChangedFields, changeLine, MAX_IN_LINE, type ChangeLine } from '../components/changes.tsx';
import { HeldWebhooks } from '../components/entry-table.tsx';
import { Pager } from '../../pages/list.tsx';
import { PauseForm, PauseLines } from '../components/pauses.tsx';
import { arrivedInOrder, Orders } from '../components/orders.tsx';
import {
  EventLink,
  Kind,
  OutcomeState,
  shownStatus,
  SubjectLink,
  VerdictState,
} from '../components/event-cells.tsx';
import { Table } from '../../pages/table.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { cursorOf } from '../list-filter.ts';
import { usePage, type Page } from '../page.ts';
import { parseSubjectName, subjectName, type Subject } from '../../event/subject.ts';
import { machineOf } from '../../handle/define/machine.ts';
import type { Registry } from '../../handle/load/registry.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { searchQuarantine } from '../../operate/search/search-quarantine.ts';
import { heldWebhooks, type HeldWebhook } from '../../operate/show/held-webhooks.ts';
import { subjectTimeline, type Timeline } from '../../operate/show/subject-timeline.ts';
import type { Pause } from '../../store/pauses.ts';
import { pauseView, type PauseView } from '../../view/pause-view.ts';
import { Lanes, subjectStory, SubjectFacts, type SubjectStory } from './subject-story.tsx';
import type { TimelineEntryView } from '../../view/timeline-view.ts';

/** Events of a page of the timeline. */
const LIMIT = 50;
/** Bytes of bodies that a page compares, unless its first event has more; the rest is on the next page. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Held webhooks that a page shows, at most. */
const MAX_HELD = 20;
/** Newest events that are searched for a company without an event of its own: a moment of reading. */
const MAX_SEARCHED = 20_000;
/** Subjects that name it, at most. */
const MAX_ALIKE = 50;

/** Adds the page of a subject: its events in the order of arrival, beside the order of versions. */
export function addSubjectPage(app: ConsoleApp, deps: PagesDeps): void {
  const { store, pageOf, limitVisitor } = deps;
  app.get('/subjects/:subject', async (c) => {
    const page = await pageOf(c);
    const name = c.req.param('subject');
    const subject = parseSubjectName(name);
    if (subject === undefined) throw new PortariaError('not-found', `There is no subject ${name}`);
    const found = await searchQuarantine(store, { subject }, null, { ...page, limit: MAX_HELD });
    const held = await heldWebhooks({ store, contract: page.contract }, found.slice(0, MAX_HELD));
    if ((await store.sourcesOf(subject)).length === 0) {
      const like = await findAlike(store, page, subject);
      const status = held.length === 0 ? 404 : 200;
      return c.html(<UnknownSubjectPage page={page} subject={subject} like={like} held={held} />, status);
    }
    const after = cursorOf(page.url.searchParams);
    const read = await limitVisitor(page.visitor.name, () => readEntries(store, { subject, after, page }));
    const { timeline, entries, next } = read;
    const story = await subjectStory(deps, page, { subject, ends: timeline.ends, entries });
    // Those that concern the subject first: what waits, then what was delivered.
    const own = [...story.lanes, ...entries.flatMap(({ deliveries }) => deliveries)].map(
      ({ handler }) => handler,
    );
    const handlers = [...new Set([...own, ...takersOf(deps.registry, subject)])];
    const pauses = (await store.pauses())
      .filter((pause) => mayHold(pause, name, { entries, handlers }))
      .map(pauseView);
    const shown = {
      page,
      subject: name,
      total: timeline.total,
      story,
      entries,
      next,
      pauses,
      held,
      handlers,
    };
    return c.html(<SubjectPage {...shown} />);
  });
}

/** Reads one page of a subject's events. */
async function readEntries(
  store: PagesDeps['store'],
  {
    subject,
    after,
    page,
  }: { readonly subject: Subject; readonly after: string | undefined; readonly page: Page },
): Promise<{
  readonly timeline: Timeline;
  readonly entries: readonly StoryEntry[];
  readonly next: string | null;
}> {
  const timeline = await subjectTimeline(store, {
    subject,
    unmask: page.unmask,
    contract: page.contract,
    order: 'newest',
    maxChanges: MAX_IN_LINE,
    ...(after !== undefined && { after }),
  });
  const entries: StoryEntry[] = [];
  let [next, compared]: [string | null, number] = [null, 0];
  for await (const { entry, moreChanges, bytes, left } of timeline.entries()) {
    // What is read next needs the memory of this entry's values.
    entries.push({
      ...entry,
      changes: [],
      line: changeLine({ changes: entry.changes, more: moreChanges }),
    });
    compared += bytes;
    if (entries.length < LIMIT && compared < MAX_BYTES) continue;
    next = left > 0 ? entry.id : null;
    break;
  }
  return { timeline, entries, next };
}

/** An event of the page, with its changes as text. */
interface StoryEntry extends TimelineEntryView {
  readonly line: ChangeLine;
}

interface Alike {
  /** Subjects of other families with the same id. */
  readonly sameId: readonly string[];
  /** Subjects with an event, among the newest, whose payload names the company. */
  readonly naming: readonly string[];
}

/** Finds what a visitor may have meant by a subject of which no event has come. */
async function findAlike(
  store: Pick<PagesDeps['store'], 'sourcesOf' | 'companySubjects'>,
  { contract }: Page,
  { family, id }: Subject,
): Promise<Alike> {
  const families = [...new Set(contract.kinds.map((kind) => kind.family))];
  const sameId: string[] = [];
  for (const other of families)
    if (other !== family && (await store.sourcesOf({ family: other, id })).length > 0)
      sameId.push(subjectName({ family: other, id }));
  if (family !== 'company') return { sameId, naming: [] };
  const { subjects } = await store.companySubjects(id, MAX_SEARCHED);
  const named = new Set(subjects.map(({ subject }) => subjectName(subject)));
  return { sameId, naming: [...named].filter((name) => !sameId.includes(name)).slice(0, MAX_ALIKE) };
}

/** Says that no event of a subject has come, and what the visitor may have meant. */
const UnknownSubjectPage: FC<{
  readonly page: Page;
  readonly subject: Subject;
  readonly like: Alike;
  readonly held: readonly HeldWebhook[];
}> = ({ page, subject, like, held }) => {
  const words = page.words.subject;
  const title = words.unknown(subjectName(subject));
  return (
    <Frame page={page} current="events" title={title}>
      <h1>{title}</h1>
      <HeldWebhooks entries={held} title={page.words.quarantine.about(held.length)} />
      <p class="lead">{words.unknownWhy}</p>
      <AlikeList title={words.sameId} names={like.sameId} />
      <AlikeList title={words.naming} names={like.naming} />
      <p>
        <a href={`/events?text=${encodeURIComponent(subject.id)}`}>{words.searchFor}</a>
      </p>
    </Frame>
  );
};

const AlikeList: FC<{ readonly title: string; readonly names: readonly string[] }> = ({ title, names }) =>
  names.length === 0 ? null : (
    <>
      <h2>{title}</h2>
      <ul class="mono">
        {names.map((name) => (
          <li>
            <SubjectLink subject={name} />
          </li>
        ))}
      </ul>
    </>
  );

interface SubjectProps {
  readonly page: Page;
  readonly subject: string;
  readonly total: number;
  readonly story: SubjectStory;
  /** Newest first. */
  readonly entries: readonly StoryEntry[];
  readonly next: string | null;
  /** Those that may hold back its deliveries. */
  readonly pauses: readonly PauseView[];
  readonly handlers: readonly string[];
  /** Webhooks about it that are in quarantine, the newest first. */
  readonly held: readonly HeldWebhook[];
}

/** The handlers that take kinds of a subject's family: a pause of another one would hold nothing of it. */
function takersOf(registry: Registry, { family }: Subject): readonly string[] {
  const { contract, deliveryNames } = registry;
  const kinds = new Set(contract.kinds.filter((kind) => kind.family === family).map(({ kind }) => kind));
  const names = new Set(
    registry.coverage().flatMap(({ kind, handlers }) => (kinds.has(kind) ? handlers : [])),
  );
  return deliveryNames.filter((name) => names.has(machineOf(name)));
}

/** Whether a pause concerns a subject: by its name, by its handler, or by the source of its events. */
function mayHold(
  pause: Pause,
  name: string,
  {
    entries,
    handlers,
  }: { readonly entries: readonly TimelineEntryView[]; readonly handlers: readonly string[] },
): boolean {
  if (pause.subject !== null) return subjectName(pause.subject) === name;
  if (pause.handler !== null && !handlers.some((one) => [one, machineOf(one)].includes(pause.handler ?? '')))
    return false;
  return pause.source === null || entries.some(({ source }) => source === pause.source);
}

const SubjectPage: FC<SubjectProps> = (props) => {
  const { page, subject, total, story, entries, next, pauses, handlers, held } = props;
  const words = page.words.subject;
  const isInOrder = arrivedInOrder(entries);
  const company = /^company:(\d+)$/u.exec(subject)?.[1];
  return (
    <Frame page={page} current="events" title={subject}>
      <h1 class="mono">{subject}</h1>
      <p class="lead">
        {words.lead(total)}{' '}
        {company !== undefined && (
          <a href={`/failures?company=${company}`}>{page.words.groups.thisCompany}</a>
        )}
      </p>
      <HeldWebhooks entries={held} title={page.words.quarantine.about(held.length)} />
      <PauseLines pauses={pauses} />
      <PauseForm
        open={page.words.pauses.pauseLane}
        given={{ subject }}
        choose={{ part: 'handler', names: handlers }}
      />
      <SubjectFacts story={story} subject={subject} />
      <section class="lanes">
        <Lanes title={page.words.story.lanes} none={page.words.story.noLanes} lanes={story.lanes} />
      </section>
      {(story.along.length > 0 || !isInOrder) && (
        <>
          <h2>{page.words.story.along}</h2>
          <div class="sheet along" tabindex={0} role="region" aria-label={page.words.story.along}>
            <Orders entries={entries} machines={story.along} />
          </div>
          {next !== null && <p class="soft">{page.words.story.shown}</p>}
        </>
      )}
      <h2>
        {words.story}{' '}
        {entries.length > 1 && entries.every(({ version }) => version !== null) && isInOrder && (
          <span class="soft">{words.inOrder}</span>
        )}
      </h2>
      <Story entries={entries} />
      <Pager next={next} />
    </Frame>
  );
};

/** Whether two events of the page came within one second: all its times have milliseconds then. */
function sharesSecond(entries: readonly TimelineEntryView[]): boolean {
  return new Set(entries.map(({ received_at: at }) => at.slice(0, 19))).size < entries.length;
}

const Story: FC<{ readonly entries: readonly StoryEntry[] }> = ({ entries }) => {
  const { words } = usePage();
  const isExact = sharesSecond(entries);
  return (
    <Table
      rows={entries}
      columns={[
        {
          head: words.columns.received,
          cell: (entry) => <EventLink id={entry.id} receivedAt={entry.received_at} exact={isExact} />,
        },
        { head: words.columns.event, as: 'code', cell: (entry) => <Kind event={entry} /> },
        {
          head: words.subject.changed,
          cell: (entry) => entry.compared_with !== null && <ChangedFields {...entry.line} />,
        },
        { head: words.columns.verdict, cell: (entry) => <VerdictState verdict={entry.verdict} /> },
        {
          head: words.events.outcome,
          cell: (entry) => (
            <OutcomeState
              statuses={entry.deliveries.map((each) => shownStatus(each.status, each.last_error))}
            />
          ),
        },
      ]}
    />
  );
};
