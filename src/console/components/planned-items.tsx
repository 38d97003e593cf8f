/** The first items of a plan, and deliveries as a table. */
import type { FC } from 'hono/jsx';
import type { PagesDeps } from '../console-deps.ts';
import { usePage } from '../page.ts';
import { deliveriesOf, type Plan } from '../../jobs/make-plan.ts';
import { createTakeCalls } from '../../jobs/next-items.ts';
import { eventNumber } from '../../handle/fold/event-number.ts';
import { subjectName } from '../../event/subject.ts';
import { deliveryView, type DeliveryView } from '../../view/delivery-view.ts';
import { instantText } from '../../view/instant-text.ts';
import type { ReplayRequest } from '../../store/replays.ts';
import type { Unmasking } from '../../view/payload/unmasking.ts';
import { HandlerLink, subjectColumn } from './event-cells.tsx';
import { Listed } from './facts.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';

/** Items of a plan that are shown: the oldest. */
const MAX_SHOWN = 10;

type CallDeps = Pick<PagesDeps, 'store' | 'registry'>;
type ShownDelivery = Pick<
  DeliveryView,
  'id' | 'event_id' | 'kind' | 'subject' | 'handler' | 'effect' | 'finished_at' | 'last_error'
>;

/** Reads the first items that a plan selects now, and the first that are overtaken. */
export async function readPlannedItems(deps: CallDeps, { request, ...plan }: Plan, unmasking: Unmasking) {
  const { store } = deps;
  const page = { order: 'oldest', limit: MAX_SHOWN } as const;
  const overtaken = plan.overtaken.shown.slice(0, MAX_SHOWN);
  const filter = { ids: overtaken.map(({ id }) => id) };
  const found = await (request.action === 'release'
    ? store.quarantined(filter, page)
    : request.action === 'replay'
      ? store.events(filter, page)
      : store.deliveries(filter, page));
  const older = overtaken.map(async ({ id, handler, by }) => {
    const item = found.find((each) => each.id === id);
    if (item === undefined) return [];
    // Of a replay, the plan does not name it.
    const [later] = 'version' in item ? await store.overtakenArrival(item, [handler]) : [];
    const { kind, subject } = item;
    const event = 'eventId' in item ? item.eventId : id;
    return {
      href: request.action === 'release' ? `/quarantine/${id}` : `/events/${event ?? ''}`,
      ...{ kind, handler, by: by ?? later?.by ?? null },
      subject: subject === null || typeof subject === 'string' ? subject : subjectName(subject),
    };
  });
  const deliveries =
    'deliveries' in request
      ? (await store.deliveries({ ...deliveriesOf(request, null), exceptIds: plan.leftOut ?? [] }, page)).map(
          (each) => deliveryView(each, unmasking),
        )
      : 'events' in request
        ? (await readCalls(deps, request.events, { after: null, limit: MAX_SHOWN })).slice(0, MAX_SHOWN)
        : [];
  const entries =
    'entries' in request ? await store.quarantined({ ...request.entries, status: 'held' }, page) : [];
  return {
    deliveries,
    /** With the handlers that run once it is an event. */
    entries: entries.map(({ id, kind, receivedAt }) => ({
      ...{ id, kind, receivedAt: instantText(receivedAt) },
      handlers: plan.runs?.get(id) ?? [],
    })),
    overtaken: (await Promise.all(older)).flat(),
  };
}

export type PlannedItems = Awaited<ReturnType<typeof readPlannedItems>>;

/** Reads the calls of a replay that come after an event, all of each event. */
export async function readCalls(
  deps: CallDeps,
  request: ReplayRequest,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<readonly ShownDelivery[]> {
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
      const nothing = { effect: null, finished_at: null, last_error: null };
      return [
        { id: `${id}/${handler}`, event_id: id, kind, subject: subjectName(subject), handler, ...nothing },
      ];
    });
}

/** Deliveries as a table. A plan has them, too, before they exist: nothing of them has failed or ended. */
export const DeliveryTable: FC<{ readonly deliveries: readonly ShownDelivery[] }> = ({ deliveries }) => {
  const { failures, columns } = usePage().words;
  return (
    <Table
      rows={deliveries}
      id={({ id }) => id}
      columns={[
        deliveries.some(({ finished_at }) => finished_at !== null) && {
          head: failures.finished,
          cell: ({ finished_at }) => <Time iso={finished_at} as="relative" />,
        },
        {
          head: columns.event,
          as: 'code',
          cell: ({ event_id, kind }) => <a href={`/events/${event_id}`}>{kind}</a>,
        },
        subjectColumn(),
        {
          head: columns.handler,
          as: 'code',
          cell: ({ handler, effect }) => (
            <>
              <HandlerLink name={handler} /> {effect}
            </>
          ),
        },
        deliveries.some(({ last_error }) => last_error !== null) && {
          head: columns.error,
          cell: ({ last_error }) => <span class="error">{last_error}</span>,
        },
      ]}
    />
  );
};

/** The first items of a plan, with links. */
export const PlannedTable: FC<{
  readonly items: PlannedItems;
  readonly all: number;
  /** Whether none of the quarantined webhooks can be released. */
  readonly isBlocked: boolean;
}> = ({ items: { deliveries, entries }, all, isBlocked }) => {
  const { words } = usePage();
  const shown = deliveries.length + entries.length;
  return (
    <>
      {shown > 0 && <h2>{words.plans.itemsOf(shown, all)}</h2>}
      {deliveries.length > 0 && <DeliveryTable deliveries={deliveries} />}
      <Listed
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
    </>
  );
};
