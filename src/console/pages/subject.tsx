import type { FC } from 'hono/jsx';
import { ChangedFields, changeLine, MAX_IN_LINE, type ChangeLine } from '../components/changes.tsx';
import { OutcomeState, VerdictState } from '../components/state.tsx';
import { Pager } from '../components/list.tsx';
import { PauseForm, PauseLines } from '../components/pauses.tsx';
import { Orders } from '../components/orders.tsx';
import { EventLink, Kind } from '../components/event-cells.tsx';
import { Table } from '../components/table.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { cursorOf } from '../list-filter.ts';
import { usePage, type Page } from '../page.ts';
import { parseSubjectName, subjectName, type Subject } from '../../event/subject.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { subjectTimeline, type Timeline } from '../../operate/subject-timeline.ts';
import type { Pause } from '../../store/pauses.ts';
import { pauseView, type PauseView } from '../../view/pause-view.ts';
import { subjectStory, SubjectFacts, SubjectLanes, type SubjectStory } from './subject-story.tsx';
import type { TimelineEntryView } from '../../view/timeline-view.ts';

/** Events of a page of the timeline. */
const LIMIT = 50;
/** Bytes of bodies that a page compares, unless its first event has more; the rest is on the next page. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Adds the page of a subject: its events in the order of arrival, beside the order of versions. */
export function addSubjectPage(app: ConsoleApp, deps: PagesDeps): void {
  const { store, pageOf, takeTurns } = deps;
  app.get('/subjects/:subject', async (c) => {
    const page = await pageOf(c);
    const name = c.req.param('subject');
    const subject = parseSubjectName(name);
    if (subject === undefined) throw new PortariaError('not-found', `There is no subject ${name}`);
    const after = cursorOf(page.url.searchParams);
    const read = await takeTurns(page.visitor.name, () => readEntries(store, { subject, after, page }));
    const { timeline, entries, next } = read;
    const pauses = (await store.pauses()).filter((pause) => mayHold(pause, name, entries)).map(pauseView);
    const story = await subjectStory(deps, page, { subject, ends: timeline.ends, entries });
    const shown = { page, subject: name, total: timeline.total, story, entries, next, pauses };
    return c.html(<SubjectPage {...shown} handlers={deps.registry.deliveryNames} />);
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
}

/** Whether a pause concerns a subject: by its name, or by the source of its events. */
function mayHold(pause: Pause, name: string, entries: readonly TimelineEntryView[]): boolean {
  if (pause.subject !== null) return subjectName(pause.subject) === name;
  return pause.source === null || entries.some(({ source }) => source === pause.source);
}

const SubjectPage: FC<SubjectProps> = (props) => {
  const { page, subject, total, story, entries, next, pauses, handlers } = props;
  const words = page.words.subject;
  return (
    <Frame page={page} current="events" title={subject}>
      <h1 class="mono">{subject}</h1>
      <p class="lead">{words.lead(total)}</p>
      <PauseLines pauses={pauses} />
      <PauseForm
        open={page.words.pauses.pauseLane}
        given={{ subject }}
        choose={{ part: 'handler', names: handlers }}
      />
      <SubjectFacts story={story} subject={subject} />
      <SubjectLanes lanes={story.lanes} />
      <h2>{page.words.story.along}</h2>
      <div class="sheet along" tabindex={0} role="region" aria-label={page.words.story.along}>
        <Orders entries={entries} machines={story.along} />
      </div>
      {next !== null && <p class="soft">{page.words.story.shown}</p>}
      <h2>{words.story}</h2>
      <Story entries={entries} />
      <Pager next={next} />
    </Frame>
  );
};

const Story: FC<{ readonly entries: readonly StoryEntry[] }> = ({ entries }) => {
  const { words } = usePage();
  return (
    <Table
      rows={entries}
      columns={[
        {
          head: words.events.time,
          cell: (entry) => <EventLink id={entry.id} receivedAt={entry.received_at} />,
        },
        { head: words.subject.event, as: 'code', cell: (entry) => <Kind event={entry} /> },
        {
          head: words.subject.changed,
          cell: (entry) => entry.compared_with !== null && <ChangedFields {...entry.line} />,
        },
        { head: words.events.verdict, cell: (entry) => <VerdictState verdict={entry.verdict} /> },
        {
          head: words.events.outcome,
          cell: (entry) => <OutcomeState statuses={entry.deliveries.map(({ status }) => status)} />,
        },
      ]}
    />
  );
};
