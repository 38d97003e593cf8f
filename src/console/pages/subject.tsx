import type { FC } from 'hono/jsx';
import { ChangedFields } from '../components/changes.tsx';
import { OutcomeState, VerdictState } from '../components/state.tsx';
import { Pager } from '../components/list.tsx';
import { Orders } from '../components/orders.tsx';
import { EventLink, Kind } from '../components/event-cells.tsx';
import { Table } from '../components/table.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { isCursor } from '../list-filter.ts';
import { usePage, type Page } from '../page.ts';
import { parseSubjectName } from '../../event/subject.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { subjectTimeline } from '../../operate/subject-timeline.ts';
import { subjectStory, SubjectFacts, SubjectLanes, type SubjectStory } from './subject-story.tsx';
import type { TimelineEntryView } from '../../view/timeline-view.ts';

/** Events of a page of the timeline. */
const LIMIT = 50;

/** Adds the page of a subject: its events in the order of arrival, beside the order of versions. */
export function addSubjectPage(app: ConsoleApp, deps: PagesDeps): void {
  const { store, pageOf } = deps;
  app.get('/subjects/:subject', async (c) => {
    const page = await pageOf(c);
    const name = c.req.param('subject');
    const subject = parseSubjectName(name);
    if (subject === undefined) throw new PortariaError('not-found', `There is no subject ${name}`);
    const after = page.url.searchParams.get('after');
    const timeline = await subjectTimeline(store, {
      subject,
      unmask: page.unmask,
      contract: page.contract,
      order: 'newest',
      ...(isCursor(after) && { after }),
    });
    const entries: TimelineEntryView[] = [];
    let next: string | null = null;
    for await (const { entry, left } of timeline.entries()) {
      entries.push(entry);
      if (entries.length < LIMIT) continue;
      next = left > 0 ? entry.id : null;
      break;
    }
    const story = await subjectStory(deps, page, { subject, ends: timeline.ends, entries });
    return c.html(
      <SubjectPage page={page} subject={name} total={timeline.total} {...{ story, entries, next }} />,
    );
  });
}

interface SubjectProps {
  readonly page: Page;
  readonly subject: string;
  readonly total: number;
  readonly story: SubjectStory;
  /** Newest first. */
  readonly entries: readonly TimelineEntryView[];
  readonly next: string | null;
}

const SubjectPage: FC<SubjectProps> = ({ page, subject, total, story, entries, next }) => {
  const words = page.words.subject;
  return (
    <Frame page={page} current="events" title={subject}>
      <h1 class="mono">{subject}</h1>
      <p class="lead">{words.lead(total)}</p>
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

const Story: FC<{ readonly entries: readonly TimelineEntryView[] }> = ({ entries }) => {
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
          cell: (entry) => entry.compared_with !== null && <ChangedFields changes={entry.changes} />,
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
