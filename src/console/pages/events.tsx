import type { FC } from 'hono/jsx';
import { Choice, Empty, Filters, Notice, Pager, TextFilter } from '../components/list.tsx';
import { OutcomeState, State, VerdictState } from '../components/state.tsx';
import { EventLink, Kind, subjectAddress } from '../components/event-cells.tsx';
import { Table } from '../components/table.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { isCursor, readEventFilter } from '../list-filter.ts';
import { Frame } from '../frame.tsx';
import { usePage, type Page } from '../page.ts';
import { parseSubjectName } from '../../event/subject.ts';
import type { EventRecord } from '../../event/stored-event.ts';
import { allRows } from '../../operate/all-rows.ts';
import type { DeliveryRecord, DeliveryStatus } from '../../store/queries.ts';
import { eventView, type EventView } from '../../view/event-view.ts';

/** Events of a page. */
const LIMIT = 50;

interface EventRow {
  readonly event: EventView;
  readonly statuses: readonly DeliveryStatus[];
}

/** Adds the list of events. */
export function addEventsPage(app: ConsoleApp, { store, clock, pageOf }: PagesDeps): void {
  app.get('/events', async (c) => {
    const page = await pageOf(c);
    const { filter, problem } = readEventFilter(page.url.searchParams, clock.now());
    if (filter === undefined)
      return c.html(<EventsPage page={page} rows={[]} next={null} problem={problem} />, 400);
    const after = page.url.searchParams.get('after');
    const found = await store.events(filter, {
      order: 'newest',
      limit: LIMIT + 1,
      ...(isCursor(after) && { after }),
    });
    const events = found.slice(0, LIMIT);
    const next = found.length > LIMIT ? (events.at(-1)?.id ?? null) : null;
    const rows = rowsOf(events, await deliveriesOf(store, events));
    return c.html(<EventsPage page={page} rows={rows} next={next} />);
  });
}

/** Deliveries of the listed events, without those of replays: they say nothing of the first outcome. */
async function deliveriesOf(
  store: PagesDeps['store'],
  events: readonly EventRecord[],
): Promise<readonly DeliveryRecord[]> {
  if (events.length === 0) return [];
  const eventIds = events.map(({ id }) => id);
  return allRows((page) => store.deliveries({ eventIds }, page));
}

function rowsOf(events: readonly EventRecord[], deliveries: readonly DeliveryRecord[]): readonly EventRow[] {
  const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId);
  return events.map((event) => ({
    event: eventView(event),
    statuses: (byEvent.get(event.id) ?? []).map(({ status }) => status),
  }));
}

interface EventsProps {
  readonly page: Page;
  readonly rows: readonly EventRow[];
  readonly next: string | null;
  readonly problem?: string;
}

const EventsPage: FC<EventsProps> = ({ page, rows, next, problem }) => {
  const words = page.words.events;
  return (
    <Frame page={page} current="events" title={words.title}>
      <h1>{words.title}</h1>
      <p class="lead">{words.lead}</p>
      <EventFilters />
      {problem !== undefined && <Notice tone="bad">{words.badFilter(problem)}</Notice>}
      {rows.length === 0 && problem === undefined && <Empty>{words.empty}</Empty>}
      {rows.length > 0 && <EventTable rows={rows} />}
      <Pager next={next} />
    </Frame>
  );
};

const EventFilters: FC = () => {
  const { words } = usePage();
  return (
    <Filters action="/events">
      <TextFilter name="kind" label={words.events.kind} hint={words.events.kindHint} />
      <TextFilter name="subject" label={words.events.subject} hint={words.events.subjectHint} />
      <TextFilter name="source" label={words.events.source} />
      <TextFilter name="since" label={words.events.since} hint={words.events.sinceHint} />
      <Choice
        name="verdict"
        label={words.events.verdict}
        options={(['new', 'stale', 'ambiguous'] as const).map((verdict) => [verdict, words.verdict[verdict]])}
      />
      <Choice
        name="status"
        label={words.events.status}
        options={(['dead', 'pending', 'running', 'succeeded', 'skipped'] as const).map((status) => [
          status,
          words.delivery[status],
        ])}
      />
    </Filters>
  );
};

const EventTable: FC<{ readonly rows: readonly EventRow[] }> = ({ rows }) => {
  const words = usePage().words.events;
  return (
    <Table
      rows={rows}
      columns={[
        { head: words.time, cell: ({ event }) => <EventLink id={event.id} receivedAt={event.received_at} /> },
        { head: words.kind, as: 'code', cell: ({ event }) => <Kind event={event} /> },
        {
          head: words.subject,
          as: 'code',
          cell: ({ event: { subject } }) => <a href={subjectAddress(subject)}>{subject}</a>,
        },
        { head: words.verdict, cell: ({ event }) => <VerdictCell event={event} /> },
        { head: words.outcome, cell: ({ statuses }) => <OutcomeState statuses={statuses} /> },
      ]}
    />
  );
};

const VerdictCell: FC<{ readonly event: EventView }> = ({ event: { verdict, flags } }) => (
  <>
    <VerdictState verdict={verdict} />
    {flags.map((flag) => (
      <>
        {' '}
        <State tone="off" word={flag} />
      </>
    ))}
  </>
);

/** Adds the search field of every page: an event id, a subject, a quarantined entry, or a kind. */
export function addSearch(app: ConsoleApp): void {
  app.get('/search', (c) => c.redirect(addressFor((c.req.query('q') ?? '').trim()), 303));
}

/** Returns the page that a searched text means. */
function addressFor(text: string): string {
  if (text === '') return '/events';
  if (/^[0-9a-z]{6}-\d+$/u.test(text)) return `/events/${text}`;
  if (/^q\d+$/u.test(text)) return `/quarantine/${text}`;
  const [prefix, ...rest] = text.split(':');
  const value = rest.join(':');
  if (prefix !== undefined && ['kind', 'source', 'flag', 'verdict', 'status', 'since'].includes(prefix))
    return `/events?${new URLSearchParams({ [prefix]: value }).toString()}`;
  if (parseSubjectName(text) !== undefined) return `/subjects/${encodeURIComponent(text)}`;
  return `/events?${new URLSearchParams({ kind: text }).toString()}`;
}
