/** The outcomes of events, from the statuses of their deliveries. */
import type { EventRecord } from '../../event/stored-event.ts';
import type { DeliveryStatus, Queries } from '../../store/queries.ts';
import { eventView, type EventView } from '../../view/event-view.ts';

/** The outcome of an event: that of the delivery which matters most to an operator. */
export type EventOutcome = 'dead' | 'pending' | 'succeeded' | 'skipped' | 'none';

/** An event with the outcome of its deliveries. */
export interface EventOutcomeView extends EventView {
  /** `none` has no deliveries, because no handler takes the event. */
  readonly outcome: EventOutcome;
  readonly deliveries: Readonly<Record<DeliveryStatus, number>>;
}

/** The number of an event's deliveries by status; a status that none has may be left out. */
export type StatusCounts = Readonly<Partial<Record<DeliveryStatus, number>>>;

const NO_DELIVERIES = { pending: 0, running: 0, succeeded: 0, dead: 0, skipped: 0 } as const;

/** Adds to each event how many of its deliveries have each status, replays included. */
export async function withOutcomes(
  store: Pick<Queries, 'deliveriesOf'>,
  events: readonly EventRecord[],
): Promise<readonly EventOutcomeView[]> {
  const counts = await statusCounts(
    store,
    events.map(({ id }) => id),
  );
  return events.map((event) => {
    const deliveries = { ...NO_DELIVERIES, ...counts.get(event.id) };
    return { ...eventView(event), outcome: outcomeOf(deliveries), deliveries };
  });
}

/** Counts the deliveries of events by status. Events without deliveries are left out. */
export async function statusCounts(
  store: Pick<Queries, 'deliveriesOf'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StatusCounts>> {
  const counts = new Map<string, StatusCounts>();
  if (ids.length === 0) return counts;
  for (const { eventId, status, deliveries } of await store.deliveriesOf(ids))
    counts.set(eventId, { ...counts.get(eventId), [status]: deliveries });
  return counts;
}

function outcomeOf({
  dead,
  pending,
  running,
  succeeded,
  skipped,
}: EventOutcomeView['deliveries']): EventOutcome {
  if (dead > 0) return 'dead';
  if (pending + running > 0) return 'pending';
  if (succeeded > 0) return 'succeeded';
  return skipped > 0 ? 'skipped' : 'none';
}
