import type { Subject } from '../event/subject.ts';
import { subjectName } from '../event/subject.ts';
import { PortariaError } from '../kernel/errors.ts';
import { beginTimeSlice } from '../kernel/time/time-slice.ts';
import type { MachineStates } from '../store/machine-states.ts';
import type { Queries } from '../store/queries.ts';
import { timelineEntryView, type TimelineEntryView } from '../view/timeline-view.ts';
import type { Masking } from '../view/unmasking.ts';
import { allRows } from './all-rows.ts';
import { eventNumber } from '../handle/fold/event-number.ts';

/** Events read at a time, each with its payload and the event it is compared with. */
const PAGE = 50;

export interface TimelineRequest extends Masking {
  readonly subject: Subject;
  /** Only events of this source; by default all, compared within each source. */
  readonly source?: string;
  /** Which events come first; the oldest by default. */
  readonly order?: 'oldest' | 'newest';
  /** Starts after the event of this id. */
  readonly after?: string;
}

export interface Timeline {
  /** `family:id` */
  readonly subject: string;
  readonly masked: boolean;
  /** Events of the whole timeline. */
  readonly total: number;
  /** The numbers of its first and its last event, by arrival. */
  readonly ends: readonly [first: string, last: string];
  /** Yields each event with its deliveries and changes, and how many follow. Reads on demand. */
  entries(): AsyncGenerator<{ readonly entry: TimelineEntryView; readonly left: number }, void, undefined>;
}

export type TimelineStore = Pick<Queries, 'subjectTrail' | 'events' | 'deliveries'> &
  Pick<MachineStates, 'storedEvents'>;

/**
 * Reads the timeline of a subject: its events, their deliveries, and the changes
 * from one event to the next.
 *
 * @throws PortariaError `not-found` when the subject has no events,
 *   `invalid-argument` when `after` is not an event id
 */
export async function subjectTimeline(store: TimelineStore, request: TimelineRequest): Promise<Timeline> {
  const { subject, source, unmask, contract, order = 'oldest', after } = request;
  if (after !== undefined && !Number.isSafeInteger(eventNumber(after)))
    throw new PortariaError('invalid-argument', `not an event id to continue after: ${after}`);
  const trail = await store.subjectTrail(subject, source);
  const total = trail.events.length;
  if (total === 0) throw new PortariaError('not-found', `There are no events of ${subjectName(subject)}`);

  async function* entries(): ReturnType<Timeline['entries']> {
    const slice = beginTimeSlice();
    const indexes = indexesOf(trail.events, order, after);
    for (let from = 0; from < indexes.length; from += PAGE) {
      const page = indexes.slice(from, from + PAGE);
      const views = await entriesAt(store, trail, page, { unmask, contract });
      for (const [at, view] of views.entries()) {
        const entry = view();
        if (entry !== null) yield { entry, left: indexes.length - from - at - 1 };
        if (slice.isOver()) await slice.next();
      }
    }
  }

  const ends = [String(trail.events[0]), String(trail.events[total - 1])] as const;
  return { subject: subjectName(subject), masked: !unmask, total, ends, entries };
}

/** Indexes into the trail, in the requested order, after the event `after`. */
function indexesOf(events: Float64Array, order: 'oldest' | 'newest', after: string | undefined): Uint32Array {
  const number = after === undefined ? undefined : eventNumber(after);
  if (order === 'oldest') {
    const found = number === undefined ? 0 : events.findIndex((event) => event > number);
    const from = found === -1 ? events.length : found;
    return Uint32Array.from({ length: events.length - from }, (_, at) => from + at);
  }
  const to = number === undefined ? events.length : events.findLastIndex((event) => event < number) + 1;
  return Uint32Array.from({ length: to }, (_, at) => to - 1 - at);
}

/** Returns functions that build the views, because building one parses its payload. */
async function entriesAt(
  store: TimelineStore,
  { events, predecessors }: Awaited<ReturnType<Queries['subjectTrail']>>,
  indexes: Uint32Array,
  masking: Masking,
): Promise<readonly (() => TimelineEntryView | null)[]> {
  const numbers = Array.from(indexes, (index) => events[index] ?? 0);
  const befores = new Map(Array.from(indexes, (index) => [events[index], predecessors[index]]));
  const ids = numbers.map(String);
  const records = await store.events({ ids }, { order: 'oldest', limit: PAGE });
  const deliveries = Map.groupBy(
    await allRows((page) => store.deliveries({ eventIds: ids }, page)),
    ({ eventId }) => eventId,
  );
  const wanted = new Set([...numbers, ...befores.values()]);
  const stored = await store.storedEvents([...wanted].filter((number) => number !== 0).map(String));
  const payloads = new Map(stored.map((event) => [eventNumber(event.id), event]));
  const known = new Map(records.map((record) => [eventNumber(record.id), record]));

  return numbers.map((number) => () => {
    const record = known.get(number);
    if (record === undefined) return null;
    const before = payloads.get(befores.get(number) ?? 0);
    const after = payloads.get(number);
    const comparison = before === undefined || after === undefined ? null : { before, after };
    return timelineEntryView({ record, deliveries: deliveries.get(record.id) ?? [], comparison }, masking);
  });
}
