/** The first items of a plan. */
import type { FC } from 'hono/jsx';
import type { PagesDeps } from '../console-deps.ts';
import { usePage } from '../page.ts';
import { patternMatches } from '../../contract/event-pattern.ts';
import { deliveriesOf, type Plan } from '../../jobs/make-plan.ts';
import { createTakeCalls } from '../../jobs/next-items.ts';
import { eventNumber } from '../../handle/fold/event-number.ts';
import { subjectName } from '../../event/subject.ts';
import { deliveryView, type DeliveryView } from '../../view/delivery-view.ts';
import { instantText } from '../../view/instant-text.ts';
import type { ReplayRequest } from '../../store/replays.ts';
import type { Unmasking } from '../../view/payload/unmasking.ts';
import { subjectColumn, handlerColumn } from './event-cells.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';

/** Items of a plan that are shown: the oldest. */
const MAX_SHOWN = 10;

/** A quarantined webhook, and the handlers that run for its kind once it is an event. */
interface PlannedEntry {
  readonly id: string;
  readonly kind: string | null;
  readonly receivedAt: string;
  readonly handlers: readonly string[];
}

/** A delivery as far as it is shown; one of a replay has no error yet. */
type PlannedDelivery = Pick<DeliveryView, 'event_id' | 'kind' | 'subject' | 'handler' | 'last_error'>;

/** An item that its handler has overtaken with a later event. */
export interface OvertakenItem {
  readonly href: string;
  readonly kind: string | null;
  readonly subject: string | null;
  readonly handler: string;
  /** The later event. */
  readonly by: string | null;
}

/** The first items of a plan, so that a visitor sees what it is about. */
export interface PlannedItems {
  readonly deliveries: readonly PlannedDelivery[];
  readonly entries: readonly PlannedEntry[];
  readonly overtaken: readonly OvertakenItem[];
}

/** Reads the first items that a request selects now, and the first that are overtaken. */
export async function readPlannedItems(
  deps: Pick<PagesDeps, 'store' | 'registry'>,
  plan: Plan,
  unmasking: Unmasking,
): Promise<PlannedItems> {
  return { ...(await readFirst(deps, plan, unmasking)), overtaken: await readOvertaken(deps, plan) };
}

async function readOvertaken(
  { store }: Pick<PagesDeps, 'store'>,
  { request, overtaken }: Plan,
): Promise<readonly OvertakenItem[]> {
  const shown = overtaken.shown.slice(0, MAX_SHOWN);
  const filter = { ids: shown.map(({ id }) => id) };
  const page = { order: 'oldest', limit: MAX_SHOWN } as const;
  const found = await (request.action === 'release'
    ? store.quarantined(filter, page)
    : request.action === 'replay'
      ? store.events(filter, page)
      : store.deliveries(filter, page));
  const items = shown.map(async ({ id, handler, by }): Promise<OvertakenItem | readonly []> => {
    const item = found.find((each) => each.id === id);
    if (item === undefined) return [];
    const isEvent = 'version' in item;
    // Of a replay, the plan does not name it.
    const [later] = isEvent ? await store.overtakenArrival(item, [handler]) : [];
    const { kind, subject } = item;
    const event = 'eventId' in item ? item.eventId : id;
    return {
      href: request.action === 'release' ? `/quarantine/${id}` : `/events/${event ?? ''}`,
      ...{ kind, handler, by: by ?? later?.by ?? null },
      subject: subject === null || typeof subject === 'string' ? subject : subjectName(subject),
    };
  });
  return (await Promise.all(items)).flat();
}

async function readFirst(
  { store, registry }: Pick<PagesDeps, 'store' | 'registry'>,
  { request, leftOut = [] }: Plan,
  unmasking: Unmasking,
): Promise<Omit<PlannedItems, 'overtaken'>> {
  const page = { order: 'oldest', limit: MAX_SHOWN } as const;
  switch (request.action) {
    case 'retry':
    case 'discard': {
      const filter = { ...deliveriesOf(request, null), exceptIds: leftOut };
      const found = await store.deliveries(filter, page);
      return { deliveries: found.map((each) => deliveryView(each, unmasking)), entries: [] };
    }
    case 'release': {
      const entries = await store.quarantined({ ...request.entries, status: 'held' }, page);
      return {
        deliveries: [],
        entries: entries.map(({ id, kind, receivedAt }) => ({
          id,
          kind,
          receivedAt: instantText(receivedAt),
          handlers: registry.definitions
            .filter(({ on }) => kind !== null && on.some((pattern) => patternMatches(pattern, kind)))
            .map(({ name }) => name),
        })),
      };
    }
    case 'replay': {
      const calls = await readCalls({ store, registry }, request.events, { after: null, limit: MAX_SHOWN });
      return { deliveries: calls.slice(0, MAX_SHOWN), entries: [] };
    }
    case 'repair':
      return { deliveries: [], entries: [] };
  }
}

/** Reads the calls of a replay that come after an event, all of each event. */
export async function readCalls(
  deps: Pick<PagesDeps, 'store' | 'registry'>,
  request: ReplayRequest,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<readonly PlannedDelivery[]> {
  const calls = (await createTakeCalls(deps, request)(after, limit))?.deliveries ?? [];
  const pairs = calls.flatMap(({ route: { handler }, events }) =>
    events.map((event) => ({ handler, event })),
  );
  const ids = [...new Set(pairs.map(({ event }) => String(event)))];
  const events = await deps.store.events({ ids }, { order: 'oldest', limit });
  return pairs
    .sort((one, other) => one.event - other.event)
    .flatMap(({ handler, event }) => {
      const found = events.find(({ id }) => eventNumber(id) === event);
      if (found === undefined) return [];
      const { id, kind, subject } = found;
      return [{ event_id: id, kind, subject: subjectName(subject), handler, last_error: null }];
    });
}

/** The first items of a plan, with links. */
export const PlannedTable: FC<{
  readonly items: PlannedItems;
  readonly all: number;
  /** Whether none of the quarantined webhooks can be released. */
  readonly isBlocked: boolean;
}> = ({ items, all, isBlocked }) => {
  const { words } = usePage();
  const { deliveries, entries } = items;
  const shown = deliveries.length + entries.length;
  if (shown === 0) return null;
  return (
    <>
      <h2>{words.plans.itemsOf(shown, all)}</h2>
      {deliveries.length > 0 && <Deliveries deliveries={deliveries} />}
      {entries.length > 0 && <Entries entries={entries} isBlocked={isBlocked} />}
    </>
  );
};

const Deliveries: FC<{ readonly deliveries: readonly PlannedDelivery[] }> = ({ deliveries }) => {
  const { words } = usePage();
  return (
    <Table
      rows={deliveries}
      columns={[
        {
          head: words.columns.event,
          as: 'code',
          cell: ({ event_id, kind }) => <a href={`/events/${event_id}`}>{kind}</a>,
        },
        subjectColumn(),
        handlerColumn(),
        deliveries.some(({ last_error }) => last_error !== null) && {
          head: words.columns.error,
          cell: ({ last_error }) => <span class="error">{last_error}</span>,
        },
      ]}
    />
  );
};

const Entries: FC<{ readonly entries: readonly PlannedEntry[]; readonly isBlocked: boolean }> = ({
  entries,
  isBlocked,
}) => {
  const { words } = usePage();
  return (
    <Table
      rows={entries}
      columns={[
        {
          head: words.columns.webhooks,
          as: 'code',
          cell: ({ id }) => <a href={`/quarantine/${id}`}>{id}</a>,
        },
        { head: words.columns.kind, as: 'code', cell: ({ kind }) => kind ?? '–' },
        { head: words.columns.received, cell: ({ receivedAt }) => <Time iso={receivedAt} /> },
        !isBlocked && {
          head: words.plans.willRun,
          as: 'code',
          cell: ({ handlers }) => (handlers.length === 0 ? words.outcome.none : handlers.join(', ')),
        },
      ]}
    />
  );
};
