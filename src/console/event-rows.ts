/** What searches of events find, as rows of a list and as a file for a spreadsheet. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { contentQuery, type ContentQuery } from '../event/content/content-query.ts';
import type { EventRecord } from '../event/stored-event.ts';
import { PortariaError } from '../kernel/errors.ts';
import { eachPage } from '../kernel/row-pages.ts';
import { searchEvents, type SearchResult } from '../operate/search/search-events.ts';
import { withCompany } from '../operate/search/with-company.ts';
import { companiesOf, companiesOfHeld } from '../operate/show/companies-of.ts';
import { heldWebhooks } from '../operate/show/held-webhooks.ts';
import type { EventFilter, Queries } from '../store/queries.ts';
import { eventView } from '../view/event-view.ts';
import { shownStatus, worstOf } from './components/event-cells.tsx';
import type { EventRow } from './components/event-table.tsx';
import type { ConsoleApp, PagesDeps } from './console-deps.ts';
import { readEventFilter, type Unread } from './list-filter.ts';
import type { Page } from './page.ts';

/** The address of the file, by which the audit knows it. */
export const EVENTS_FILE = '/events.csv';

const HEAD = ['id', 'kind', 'subject', 'company', 'received_at', 'status'];
const MAX_ROWS = 10_000;
/** Rows that are read at a time, and milliseconds of each search for them. */
const [STEP, STEP_MS] = [100, 35];

/** What an address searches for: events by their rows, and by their payloads. */
export interface Search {
  readonly filter: EventFilter;
  readonly content: ContentQuery | null;
}

export async function readSearch(
  store: Pick<Queries, 'companySubjects'>,
  page: Page,
): Promise<Search | Unread> {
  const { searchParams } = page.url;
  const read = readEventFilter(page);
  if (read.filter === undefined) return read;
  try {
    const content = contentQuery(searchParams.getAll('where'), searchParams.getAll('text'));
    return { filter: await withCompany(store, read.filter), content };
  } catch (error) {
    if (!PortariaError.is(error, 'invalid-argument')) throw error;
    return { problem: error, problems: {} };
  }
}

/** Events with their companies and the statuses of their deliveries, of the handlers of a filter. */
export async function eventRows(
  { store, registry: { contract } }: Pick<PagesDeps, 'store' | 'registry'>,
  events: readonly EventRecord[],
  { handlers }: EventFilter,
): Promise<readonly EventRow[]> {
  const of = { eventIds: events.map(({ id }) => id) };
  const pages = eachPage(async (page) => store.deliveries(of, { order: 'oldest', ...page }));
  const deliveries = events.length === 0 ? [] : (await Array.fromAsync(pages)).flat();
  const asked = deliveries.filter(({ handler }) => handlers?.includes(handler) ?? true);
  const byEvent = Map.groupBy(asked, ({ eventId }) => eventId);
  const views = events.map(eventView);
  const companies = await companiesOf(views, contract, (id) => store.event(id));
  return views.map((event) => ({
    event,
    company: companies.get(event.id) ?? null,
    statuses: (byEvent.get(event.id) ?? []).map(({ status, lastError }) => shownStatus(status, lastError)),
  }));
}

/** The cells of a line. */
type Cells = readonly (string | null | undefined)[];

/** Adds the file of what the list of events shows, or of what is held with a problem. It is read as it is taken. */
export function addEventsFile(app: ConsoleApp, deps: PagesDeps): void {
  app.get(EVENTS_FILE, async (c) => {
    const page = await deps.pageOf(c);
    const problem = page.url.searchParams.get('problem');
    const search = problem === null ? await readSearch(deps.store, page) : null;
    if (search !== null && 'problems' in search)
      throw new PortariaError('invalid-argument', search.problem.message);
    const taken = { page, signal: c.req.raw.signal };
    const lines = search === null ? heldLines(deps, taken, problem ?? '') : eventLines(deps, taken, search);
    c.header('content-type', 'text/csv; charset=utf-8');
    c.header('content-disposition', 'attachment; filename="events.csv"');
    return c.body(
      ReadableStream.from(written(lines, { most: MAX_ROWS, cut: page.words.list.cut(MAX_ROWS) })),
    );
  });
}

/** Who takes the file, until they hang up. */
interface Taken {
  readonly page: Page;
  readonly signal: AbortSignal;
}

async function* eventLines(
  deps: PagesDeps,
  { page, signal }: Taken,
  search: Search,
): AsyncGenerator<readonly Cells[]> {
  const step = async (after: string | null): Promise<SearchResult> => {
    const limits = { limit: STEP, withinMs: STEP_MS, signal, ...(after !== null && { after }) };
    return searchEvents(deps.store, deps.clock, { ...page, ...search, ...limits });
  };
  for (let from: string | null = null, end = ''; end !== 'whole' && end !== 'too-old'; await nextTick()) {
    const after: string | null = from;
    const found: SearchResult = await deps.limitVisitor(page.visitor.name, async () => step(after));
    const rows = await eventRows(deps, found.events, search.filter);
    yield rows.map(({ event: { id, kind, subject, received_at: at }, company, statuses }) => [
      ...[id, kind, subject, company, at, worstOf(statuses)],
    ]);
    [from, end] = [found.next, found.end];
  }
}

async function* heldLines(
  { store, registry, limitVisitor }: PagesDeps,
  { page, signal }: Taken,
  problem: string,
): AsyncGenerator<readonly Cells[]> {
  const known = { store, contract: registry.contract };
  const filter = { status: 'held', problem } as const;
  const pages = eachPage((limits) => store.quarantined(filter, { order: 'newest', ...limits }), {
    limit: STEP,
  });
  for await (const entries of pages) {
    if (signal.aborted) return;
    yield await limitVisitor(page.visitor.name, async () => {
      const webhooks = await heldWebhooks(known, entries);
      const companies = await companiesOfHeld(webhooks, known);
      return webhooks.map(({ id, kind, subject, received_at: at, status }) => [
        ...[id, kind, subject, companies.get(id), at, status],
      ]);
    });
  }
}

/** The file, up to so many rows: a last line then says that it was cut. */
export async function* written(
  found: AsyncIterable<readonly Cells[]>,
  { most, cut }: { readonly most: number; readonly cut: string },
): AsyncGenerator<Uint8Array> {
  let left = most;
  yield csv([HEAD]);
  for await (const lines of found) {
    yield csv(lines.slice(0, left));
    left -= lines.length;
    if (left >= 0) continue;
    yield csv([HEAD.map((_, at) => (at === 0 ? cut : ''))]);
    return;
  }
}

/** Lines of CSV (RFC 4180). A cell that a spreadsheet would take for a formula begins with an apostrophe. */
function csv(lines: readonly Cells[]): Uint8Array {
  const cellOf = (cell: string | null | undefined): string => {
    // Also behind a semicolon, at which a spreadsheet may divide.
    const text = (cell ?? '').replaceAll(/(?<=^|[;\t\r\n])\s*[=+\-@＝＋－＠\t\r]/gu, "'$&");
    return /[",;\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return Buffer.from(lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join(''));
}
