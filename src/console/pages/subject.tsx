/** The page of a subject. */
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
import type { Page } from '../page.ts';
import { parseSubjectName, subjectName, type Subject } from '../../event/subject.ts';
import { machineOf } from '../../handle/define/machine.ts';
import type { Registry } from '../../handle/load/registry.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { searchQuarantine } from '../../operate/search/search-quarantine.ts';
import { heldWebhooks } from '../../operate/show/held-webhooks.ts';
import { subjectTimeline } from '../../operate/show/subject-timeline.ts';
import type { Pause } from '../../store/pauses.ts';
import { pauseView } from '../../view/pause-view.ts';
import { Lanes, subjectStory, SubjectFacts } from './subject-story.tsx';
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
  const { store, registry, pageOf, limitVisitor } = deps;
  app.get('/subjects/:subject', async (c) => {
    const page = await pageOf(c);
    const { subject: words, story: told, columns, ...all } = page.words;
    const name = c.req.param('subject');
    const subject = parseSubjectName(name);
    if (subject === undefined) throw new PortariaError('not-found', `There is no subject ${name}`);
    const found = await searchQuarantine(store, { subject }, null, { ...page, limit: MAX_HELD });
    const held = await heldWebhooks({ store, contract: page.contract }, found.slice(0, MAX_HELD));
    const heldTable = <HeldWebhooks entries={held} title={all.quarantine.about(held.length)} />;
    const sources = await store.sourcesOf(subject);
    if (sources.length === 0) {
      const title = words.unknown(name);
      return c.html(
        <Frame page={page} current="events" title={title}>
          <h1>{title}</h1>
          {heldTable}
          <p class="lead">{words.unknownWhy}</p>
          {(await findAlike(store, page, subject)).map(([of, names]) => (
            <>
              <h2>{of}</h2>
              <ul class="mono">
                {names.map((each) => (
                  <li>
                    <SubjectLink subject={each} />
                  </li>
                ))}
              </ul>
            </>
          ))}
          <p>
            <a href={`/events?text=${encodeURIComponent(subject.id)}`}>{words.searchFor}</a>
          </p>
        </Frame>,
        held.length === 0 ? 404 : 200,
      );
    }
    const { entries, next, total, ends } = await limitVisitor(page.visitor.name, () =>
      readEntries(store, page, subject),
    );
    const story = await subjectStory(deps, page, { subject, sources, ends, entries });
    // Those that concern the subject first: what waits, then what was delivered.
    const own = [...story.lanes, ...entries.flatMap(({ deliveries }) => deliveries)].map(
      ({ handler }) => handler,
    );
    const handlers = [...new Set([...own, ...takersOf(registry, subject)])];
    const ofEntries = entries.map(({ source }) => source);
    const pauses = (await store.pauses()).filter((pause) => mayHold(pause, name, ofEntries, handlers));
    const isInOrder = arrivedInOrder(entries);
    // Where two events of the page came within one second, all its times have milliseconds.
    const isExact = new Set(entries.map(({ received_at: at }) => at.slice(0, 19))).size < entries.length;
    return c.html(
      <Frame page={page} current="events" title={name}>
        <h1 class="mono">{name}</h1>
        <p class="lead">
          {words.lead(total)}{' '}
          {/^company:\d+$/u.test(name) && (
            <a href={`/failures?company=${subject.id}`}>{all.groups.thisCompany}</a>
          )}
        </p>
        {heldTable}
        <PauseLines pauses={pauses.map(pauseView)} />
        <PauseForm
          open={all.pauses.pauseLane}
          given={{ subject: name }}
          choose={{ part: 'handler', names: handlers }}
        />
        <SubjectFacts story={story} />
        <section class="lanes">
          <Lanes title={told.lanes} none={told.noLanes} lanes={story.lanes} />
        </section>
        {(story.along.length > 0 || !isInOrder) && (
          <>
            <h2>{told.along}</h2>
            <div class="sheet along" tabindex={0} role="region" aria-label={told.along}>
              <Orders entries={entries} machines={story.along} />
            </div>
            {next !== null && <p class="soft">{told.shown}</p>}
          </>
        )}
        <h2>
          {words.story}{' '}
          {entries.length > 1 && entries.every(({ version }) => version !== null) && isInOrder && (
            <span class="soft">{words.inOrder}</span>
          )}
        </h2>
        <Table
          rows={entries}
          columns={[
            {
              head: columns.received,
              cell: (entry) => <EventLink id={entry.id} receivedAt={entry.received_at} exact={isExact} />,
            },
            { head: columns.event, as: 'code', cell: (entry) => <Kind event={entry} /> },
            {
              head: words.changed,
              cell: (entry) => entry.compared_with !== null && <ChangedFields {...entry.line} />,
            },
            { head: columns.verdict, cell: (entry) => <VerdictState verdict={entry.verdict} /> },
            {
              head: all.events.outcome,
              cell: (entry) => (
                <OutcomeState
                  statuses={entry.deliveries.map((each) => shownStatus(each.status, each.last_error))}
                />
              ),
            },
          ]}
        />
        <Pager next={next} />
      </Frame>,
    );
  });
}

/** Reads one page of a subject's events, the last to arrive first: a released one arrived before it was stored. */
async function readEntries(store: PagesDeps['store'], { url, unmask, contract }: Page, subject: Subject) {
  const after = cursorOf(url.searchParams);
  const timeline = await subjectTimeline(store, {
    ...{ subject, unmask, contract, order: 'newest', maxChanges: MAX_IN_LINE },
    ...(after !== undefined && { after }),
  });
  const entries: StoryEntry[] = [];
  let [next, compared]: [string | null, number] = [null, 0];
  for await (const { entry, moreChanges, bytes, left } of timeline.entries()) {
    // What is read next needs the memory of this entry's values.
    const line = changeLine({ changes: entry.changes, more: moreChanges });
    entries.push({ ...entry, changes: [], line });
    compared += bytes;
    if (entries.length < LIMIT && compared < MAX_BYTES) continue;
    next = left > 0 ? entry.id : null;
    break;
  }
  entries.sort((one, other) => Date.parse(other.received_at) - Date.parse(one.received_at));
  return { entries, next, total: timeline.total, ends: timeline.ends };
}

/** An event of the page, with its changes as text. */
interface StoryEntry extends TimelineEntryView {
  readonly line: ChangeLine;
}

/** Finds what a visitor may have meant by a subject of which no event has come: lists that are not empty. */
async function findAlike(
  store: Pick<PagesDeps['store'], 'sourcesOf' | 'companySubjects'>,
  { contract, words }: Page,
  { family, id }: Subject,
): Promise<readonly (readonly [title: string, names: readonly string[]])[]> {
  const families = [...new Set(contract.kinds.map((kind) => kind.family))];
  const sameId: string[] = [];
  for (const other of families)
    if (other !== family && (await store.sourcesOf({ family: other, id })).length > 0)
      sameId.push(subjectName({ family: other, id }));
  const { subjects } =
    family === 'company' ? await store.companySubjects(id, MAX_SEARCHED) : { subjects: [] };
  const named = new Set(subjects.map(({ subject }) => subjectName(subject)));
  const naming = [...named].filter((name) => !sameId.includes(name)).slice(0, MAX_ALIKE);
  const lists = [
    [words.subject.sameId, sameId],
    [words.subject.naming, naming],
  ] as const;
  return lists.filter(([, names]) => names.length > 0);
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
  { subject, handler, source }: Pause,
  name: string,
  sources: readonly string[],
  handlers: readonly string[],
): boolean {
  if (subject !== null) return subjectName(subject) === name;
  if (handler !== null && !handlers.some((one) => [one, machineOf(one)].includes(handler))) return false;
  return source === null || sources.includes(source);
}
