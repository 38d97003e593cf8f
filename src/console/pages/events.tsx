/** The list of events with its filters and the search, and the search field of every page. */
import type { FC } from 'hono/jsx';
import { addressWith } from '../../pages/base-page.ts';
import { Empty, Notice, Pager, TextFilter } from '../../pages/list.tsx';
import {
  BadFilter,
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
import { EventTable, type EventRow } from '../components/event-table.tsx';
import { ContentFilters, SearchHelp, SearchNotice, SearchProgress } from '../components/search.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { addForm } from '../forms.ts';
import { EVENTS_FILE, eventRows, readSearch, type Search } from '../event-rows.ts';
import { cursorOf, type Unread } from '../list-filter.ts';
import { Frame } from '../frame.tsx';
import { usePage, type Page } from '../page.ts';
import { searchAddress } from '../search-address.ts';
import { eventFlags } from '../../event/event.ts';
import { searchQuarantine } from '../../operate/search/search-quarantine.ts';
import { heldWebhooks, type HeldWebhook } from '../../operate/show/held-webhooks.ts';
import { searchEvents, type SearchResult } from '../../operate/search/search-events.ts';
import { SEARCHED_FOR_COMPANY } from '../../view/parameters/conditions.ts';

/** Events of a page: two screens of a desk. */
const LIMIT = 30;
/** Held webhooks that are shown with them. */
const MAX_HELD = 20;
/** Events that are counted; more are shown as `10,000+`. */
const MAX_COUNT = 10_000;
const COUNT_MS = 10;
/** Milliseconds of a search: by filters, by content, and for someone who asks to search further back. */
const WITHIN_MS = { filters: 35, content: 900, further: 2_000 };

/** What a search found. */
interface Found {
  readonly search: Search;
  readonly result: SearchResult;
  readonly rows: readonly EventRow[];
  /** How many events match in all; null when only those of the page are known. */
  readonly count: { readonly count: number; readonly isWhole: boolean } | null;
  /** Held webhooks that match. */
  readonly held: readonly HeldWebhook[];
}

/** Adds the list of events, which is the search, too. */
export function addEventsPage(app: ConsoleApp, deps: PagesDeps): void {
  const { store, clock, pageOf, limitVisitor } = deps;
  app.get('/events', async (c) => {
    const page = await pageOf(c);
    const { searchParams } = page.url;
    const search = await readSearch(store, page);
    if ('problems' in search) return c.html(<EventsPage page={page} wrong={search} />, 400);
    const { filter, content } = search;
    const after = cursorOf(searchParams);
    const by = content === null ? 'filters' : 'content';
    const result = await searchEvents(store, clock, {
      ...{ filter, content, unmask: page.unmask, contract: page.contract, limit: LIMIT },
      withinMs: WITHIN_MS[searchParams.has('further') ? 'further' : by],
      signal: c.req.raw.signal,
      ...(after !== undefined && { after }),
    });
    const { events, end } = result;
    // A page that is not full says all there is to say.
    const counted = async () => store.countEvents(filter, { max: MAX_COUNT, maxMs: COUNT_MS });
    const isAll = after === undefined && end === 'whole';
    const count = isAll
      ? { count: events.length, isWhole: true }
      : content === null && end === 'full'
        ? await counted()
        : null;
    // A search for something asks where it is, not only in which event.
    const isSearch = after === undefined && (content !== null || filter.subject !== undefined);
    const searchHeld = async () =>
      heldWebhooks(
        { store, contract: page.contract },
        await searchQuarantine(store, filter, content, { ...page, limit: MAX_HELD }),
      );
    const held = isSearch ? await limitVisitor(page.visitor.name, searchHeld) : [];
    const rows = await eventRows(deps, events, filter);
    return c.html(<EventsPage page={page} found={{ search, result, rows, count, held }} />);
  });
}

interface EventsProps {
  readonly page: Page;
  readonly found?: Found;
  readonly wrong?: Unread;
}

const EventsPage: FC<EventsProps> = ({ page, found, wrong }) => (
  <Frame page={page} current="events" title={page.words.frame.names.events}>
    <h1>{page.words.frame.names.events}</h1>
    <p class="lead">{page.words.events.lead}</p>
    <EventFilters problems={wrong?.problems ?? {}} />
    {wrong !== undefined && <BadFilter wrong={wrong} />}
    {found !== undefined && <FoundEvents {...found} />}
  </Frame>
);

const FoundEvents: FC<Found> = ({ search, result, rows, count, held }) => {
  const { words, format, url } = usePage();
  const { scanned, end, next } = result;
  const isInContent = search.content !== null;
  const shown = count ?? { count: rows.length, isWhole: end !== 'full' };
  const text = format.number(shown.count, !shown.isWhole);
  const more = held.length > MAX_HELD;
  // The file has no payload: only what is searched in them may be personal.
  const dropped = { further: null, ...(!isInContent && { unmask: null }) };
  return (
    <>
      {isInContent && <SearchNotice />}
      {search.filter.partial === true && (
        <Notice tone="warn">{words.groups.partial(SEARCHED_FOR_COMPANY)}</Notice>
      )}
      <HeldWebhooks
        entries={held.slice(0, MAX_HELD)}
        title={words.quarantine.matching(
          more ? `${String(MAX_HELD)}+` : String(held.length),
          held.length === 1,
        )}
      />
      {rows.length > 0 ? (
        <p class="soft">
          {count === null
            ? words.search.among(text, shown.count, format.number(scanned), url.searchParams.has('after'))
            : words.search.count(text, text === '1')}{' '}
          <a href={addressWith(new URL(`${EVENTS_FILE}${url.search}`, url), dropped)}>{words.list.csv}</a>
        </p>
      ) : end === 'whole' ? (
        <Empty>{isInContent ? words.search.none : words.events.empty}</Empty>
      ) : (
        <p class="soft">{words.search.noneYet}</p>
      )}
      {rows.length > 0 && <EventTable rows={rows} />}
      <SearchProgress search={result} />
      <Pager next={end === 'full' ? next : null} />
    </>
  );
};

const EventFilters: FC<Pick<Unread, 'problems'>> = ({ problems }) => {
  const { words, url } = usePage();
  const { columns } = words;
  return (
    <form action="/events" class="chips">
      <KindChip />
      <TextChip
        name="subject"
        label={columns.subject}
        hint={words.events.subjectHint}
        problem={problems['subject']}
      />
      <TextChip name="company" label={columns.company} hint="12" problem={problems['company']} />
      <TextChip name="handler" label={columns.handler} />
      {url.searchParams.has('error') && <TextChip name="error" label={columns.error} />}
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

/** Adds the search field of every page: a form, so that no address has what was typed before it is known what it is. */
export function addSearch(app: ConsoleApp, { registry }: Pick<PagesDeps, 'registry'>): void {
  addForm(app, '/search', { action: 'search', needs: ['view'] }, (c) =>
    c.redirect(searchAddress(c.get('fields').get('q') ?? '', registry), 303),
  );
}
