/** The list of events with its filters and the search, and the search field of every page. */
import type { FC } from 'hono/jsx';
import { Empty, Notice, Pager, TextFilter } from '../../pages/list.tsx';
import {
  Chip,
  ChoiceChip,
  KindChip,
  SourceFilter,
  statusChoices,
  TextChip,
  TimeChip,
  VerdictFilter,
} from '../components/filters.tsx';
import { HeldWebhooks } from '../components/entry-table.tsx';
import { shownStatus } from '../components/event-cells.tsx';
import { EventTable, type EventRow } from '../components/event-table.tsx';
import { ContentFilters, SearchHelp, SearchNotice, SearchProgress } from '../components/search.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { filterProblems } from '../field-problems.ts';
import { cursorOf, readEventFilter } from '../list-filter.ts';
import { Frame } from '../frame.tsx';
import { Refused, type Wrong } from '../components/foreign-text.tsx';
import { usePage, type Page } from '../page.ts';
import { searchAddress } from '../search-address.ts';
import { contentQuery, type ContentQuery } from '../../event/content/content-query.ts';
import { eventFlags } from '../../event/event.ts';
import type { EventRecord } from '../../event/stored-event.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { allRows } from '../../kernel/row-pages.ts';
import { searchQuarantine } from '../../operate/search/search-quarantine.ts';
import { heldWebhooks, type HeldWebhook } from '../../operate/show/held-webhooks.ts';
import { searchEvents, type SearchResult } from '../../operate/search/search-events.ts';
import type { DeliveryRecord, EventFilter } from '../../store/queries.ts';
import { eventView } from '../../view/event-view.ts';

/** Events of a page: two screens of a desk. */
const LIMIT = 30;
/** Held webhooks that are shown with them. */
const MAX_HELD = 20;
/** Events that are counted; more are shown as `10,000+`. */
const MAX_COUNT = 10_000;
const COUNT_MS = 10;
/** Milliseconds of a search: by filters, by content, and for someone who asks to search further back. */
const WITHIN_MS = { filters: 35, content: 900, further: 2_000 };

/** What the page shows of a search. */
interface ShownSearch {
  readonly result: SearchResult;
  /** Whether payloads were searched. */
  readonly inContent: boolean;
  /** How many events match in all; null when only those of the page are known. */
  readonly count: { readonly count: number; readonly isWhole: boolean } | null;
  /** Held webhooks that match. */
  readonly held: readonly HeldWebhook[];
}

/** Adds the list of events, which is the search, too. */
export function addEventsPage(app: ConsoleApp, { store, clock, pageOf, limitVisitor }: PagesDeps): void {
  app.get('/events', async (c) => {
    const page = await pageOf(c);
    const { searchParams } = page.url;
    const { filter, content, problem } = readSearch(searchParams, clock.now());
    if (filter === undefined) return c.html(<EventsPage page={page} rows={[]} problem={problem} />, 400);
    const after = cursorOf(searchParams);
    const result = await searchEvents(store, clock, {
      filter,
      content,
      unmask: page.unmask,
      contract: page.contract,
      limit: LIMIT,
      withinMs: searchParams.has('further')
        ? WITHIN_MS.further
        : WITHIN_MS[content === null ? 'filters' : 'content'],
      signal: c.req.raw.signal,
      ...(after !== undefined && { after }),
    });
    const count = await countOf(store, filter, { result, isFirst: after === undefined, content });
    // A search for something asks where it is, not only in which event.
    const isSearch = after === undefined && (content !== null || filter.subject !== undefined);
    const searchHeld = async () =>
      heldWebhooks(
        { store, contract: page.contract },
        await searchQuarantine(store, filter, content, { ...page, limit: MAX_HELD }),
      );
    const held = isSearch ? await limitVisitor(page.visitor.name, searchHeld) : [];
    const rows = rowsOf(result.events, await deliveriesOf(store, result.events));
    return c.html(
      <EventsPage page={page} rows={rows} search={{ result, inContent: content !== null, count, held }} />,
    );
  });
}

/** Counts what a full page is a part of. A page that is not full says all there is to say. */
async function countOf(
  store: PagesDeps['store'],
  filter: EventFilter,
  about: {
    readonly result: SearchResult;
    readonly isFirst: boolean;
    readonly content: ContentQuery | null;
  },
): Promise<ShownSearch['count']> {
  const { result, isFirst, content } = about;
  if (isFirst && result.end === 'whole') return { count: result.events.length, isWhole: true };
  if (content !== null || result.end !== 'full') return null;
  return store.countEvents(filter, { max: MAX_COUNT, maxMs: COUNT_MS });
}

function readSearch(parameters: URLSearchParams, now: number) {
  const { filter, problem } = readEventFilter(parameters, now);
  if (filter === undefined) return { problem: { message: problem } };
  try {
    return { filter, content: contentQuery(parameters.getAll('where'), parameters.getAll('text')) };
  } catch (error) {
    if (!PortariaError.is(error, 'invalid-argument')) throw error;
    return { problem: error };
  }
}

/** Deliveries of the listed events, without those of replays: they say nothing of the first outcome. */
async function deliveriesOf(
  store: PagesDeps['store'],
  events: readonly EventRecord[],
): Promise<readonly DeliveryRecord[]> {
  if (events.length === 0) return [];
  const eventIds = events.map(({ id }) => id);
  return allRows((page) => store.deliveries({ eventIds }, { order: 'oldest', ...page }));
}

function rowsOf(events: readonly EventRecord[], deliveries: readonly DeliveryRecord[]): readonly EventRow[] {
  const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId);
  return events.map((event) => ({
    event: eventView(event),
    statuses: (byEvent.get(event.id) ?? []).map(({ status, lastError }) => shownStatus(status, lastError)),
  }));
}

interface EventsProps {
  readonly page: Page;
  readonly rows: readonly EventRow[];
  readonly search?: ShownSearch;
  readonly problem?: Wrong;
}

const EventsPage: FC<EventsProps> = ({ page, rows, search, problem }) => {
  const words = page.words.events;
  return (
    <Frame page={page} current="events" title={page.words.frame.names.events}>
      <h1>{page.words.frame.names.events}</h1>
      <p class="lead">{words.lead}</p>
      <EventFilters />
      {problem !== undefined && (
        <Notice tone="bad">
          {words.badFilter} {wrongOf(page) ?? <Refused wrong={problem} />}
        </Notice>
      )}
      {search?.inContent === true && <SearchNotice />}
      {search !== undefined && (
        <HeldWebhooks
          entries={search.held.slice(0, MAX_HELD)}
          title={page.words.quarantine.matching(
            search.held.length > MAX_HELD ? `${String(MAX_HELD)}+` : String(search.held.length),
            search.held.length === 1,
          )}
        />
      )}
      {search !== undefined && <Found search={search} />}
      {rows.length > 0 && <EventTable rows={rows} />}
      {search !== undefined && <SearchProgress search={search.result} />}
      {search !== undefined && <Pager next={search.result.end === 'full' ? search.result.next : null} />}
    </Frame>
  );
};

/** What is wrong with the filters, in the language of the page. */
function wrongOf(page: Page): string | undefined {
  return Object.values(filterProblems(page, page.url.searchParams))[0];
}

/** How many events match, or why none does. */
const Found: FC<{ readonly search: ShownSearch }> = ({ search: { result, inContent, count } }) => {
  const { words, format, url } = usePage();
  const { scanned, end, events } = result;
  const shown = count ?? { count: events.length, isWhole: end !== 'full' };
  const text = `${format.number(shown.count)}${shown.isWhole ? '' : '+'}`;
  if (events.length > 0)
    return (
      <p class="soft">
        {count === null
          ? words.search.among(text, shown.count, format.number(scanned), url.searchParams.has('after'))
          : words.search.count(text, text === '1')}
      </p>
    );
  if (result.end !== 'whole') return <p class="soft">{words.search.noneYet}</p>;
  return <Empty>{inContent ? words.search.none : words.events.empty}</Empty>;
};

const EventFilters: FC = () => {
  const page = usePage();
  const { words, url } = page;
  const problems = filterProblems(page, url.searchParams);
  return (
    <form action="/events" class="chips">
      <KindChip />
      <TextChip
        name="subject"
        label={words.columns.subject}
        hint={words.events.subjectHint}
        problem={problems['subject']}
      />
      <ChoiceChip name="status" label={words.events.outcome} options={statusChoices(words)} />
      <TimeChip problems={problems} />
      <Chip label={words.list.more} names={['verdict', 'flag', 'source', 'where', 'text']}>
        <VerdictFilter />
        <TextFilter name="flag" label={words.events.flag} known={eventFlags} />
        <SourceFilter />
        <ContentFilters />
        <SearchHelp />
      </Chip>
    </form>
  );
};

/** Adds the search field of every page. */
export function addSearch(app: ConsoleApp, { registry }: Pick<PagesDeps, 'registry'>): void {
  app.get('/search', (c) => c.redirect(searchAddress(c.req.query('q') ?? '', registry), 303));
}
