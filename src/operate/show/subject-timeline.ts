/** The timeline of a subject, for the command line, the operators' API and the console. */
import { subjectName, type Subject } from '../../event/subject.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { beginTimeSlice } from '../../kernel/time/time-slice.ts';
import type { MachineStates } from '../../store/machine-states.ts';
import type { Queries, SubjectTrail } from '../../store/queries.ts';
import { timelineEntryView, type LimitedEntry, type TimelineEntry } from '../../view/timeline-view.ts';
import type { Masking } from '../../view/payload/unmasking.ts';
import { allRows } from '../../kernel/row-pages.ts';
import { eventNumber } from '../../handle/fold/event-number.ts';

/** Events read at a time, with their deliveries. */
const PAGE = 50;
/** Bytes of bodies that are held at a time, unless one event has more; those that they are compared with come on top. */
const MAX_BYTES = 2 * 1024 * 1024;

export interface TimelineRequest extends Masking {
  readonly subject: Subject;
  /** Only events of this source; by default all, compared within each source. */
  readonly source?: string;
  /** Which events come first; the oldest by default. */
  readonly order?: 'oldest' | 'newest';
  /** Starts after the event of this id. */
  readonly after?: string;
  /** The limit of changes that an entry lists; the others are counted. */
  readonly maxChanges?: number;
}

/** An entry of a timeline, and where it stands. */
export interface TimelineStep extends LimitedEntry {
  /** The size of the event's body; 0 once pruned. */
  readonly bytes: number;
  /** How many events follow. */
  readonly left: number;
}

export interface Timeline {
  /** `family:id` */
  readonly subject: string;
  readonly masked: boolean;
  /** The number of events of the whole timeline. */
  readonly total: number;
  /** The numbers of its first and its last event, by arrival. */
  readonly ends: readonly [first: string, last: string];
  /** Yields each event with its deliveries and changes. Reads on demand. */
  entries(): AsyncGenerator<TimelineStep, void, undefined>;
}

export type TimelineStore = Pick<Queries, 'subjectTrail' | 'bodySizes' | 'events' | 'deliveries'> &
  Pick<MachineStates, 'storedEvents'>;

/**
 * Reads the timeline of a subject: its events, their deliveries, and the changes
 * from one event to the next.
 *
 * @throws PortariaError `not-found` when the subject has no events,
 *   `invalid-argument` when `after` is not an event id
 */
export async function subjectTimeline(store: TimelineStore, request: TimelineRequest): Promise<Timeline> {
  const { subject, source, unmask, contract, order = 'oldest', after, maxChanges } = request;
  if (after !== undefined && !Number.isSafeInteger(eventNumber(after)))
    throw new PortariaError('invalid-argument', `not an event id to continue after: ${after}`);
  const trail = await store.subjectTrail(subject, source);
  const total = trail.events.length;
  if (total === 0) throw new PortariaError('not-found', `There are no events of ${subjectName(subject)}`);

  async function* entries(): ReturnType<Timeline['entries']> {
    const slice = beginTimeSlice();
    const indexes = indexesOf(trail.events, order, after);
    for (let from = 0; from < indexes.length; from += PAGE) {
      let at = from;
      for await (const { entry, bytes } of entriesAt(store, trail, indexes.slice(from, from + PAGE))) {
        at += 1;
        if (entry === null) continue;
        const view = await timelineEntryView(entry, { unmask, contract }, maxChanges);
        yield { ...view, bytes, left: indexes.length - at };
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

/** Reads entries in the order of their indexes. Bodies are read a few at a time: an event may have megabytes. */
async function* entriesAt(
  store: TimelineStore,
  trail: SubjectTrail,
  indexes: Uint32Array,
): AsyncGenerator<{ readonly entry: TimelineEntry | null; readonly bytes: number }, void, undefined> {
  const ids = Array.from(indexes, (index) => String(trail.events[index]));
  const records = await store.events({ ids }, { order: 'oldest', limit: PAGE });
  const known = new Map(records.map((record) => [eventNumber(record.id), record]));
  const deliveries = Map.groupBy(
    await allRows((page) => store.deliveries({ eventIds: ids }, { order: 'oldest', ...page })),
    ({ eventId }) => eventId,
  );
  const sizes = await store.bodySizes(ids);
  const sizeOf = new Map(Array.from(indexes, (index, at) => [index, sizes[at] ?? 0]));
  for (const few of inFewBytes(sizeOf)) {
    const numbers = few.flatMap((index) => [trail.events[index] ?? 0, trail.predecessors[index] ?? 0]);
    const wanted = [...new Set(numbers)].filter((number) => number !== 0);
    const stored = await store.storedEvents(wanted.map(String));
    const payloads = new Map(stored.map((event) => [eventNumber(event.id), event]));
    for (const index of few) {
      const number = trail.events[index] ?? 0;
      const record = known.get(number);
      const [before, after] = [payloads.get(trail.predecessors[index] ?? 0), payloads.get(number)];
      const comparison = before === undefined || after === undefined ? null : { before, after };
      const entry =
        record === undefined ? null : { record, deliveries: deliveries.get(record.id) ?? [], comparison };
      yield { entry, bytes: sizeOf.get(index) ?? 0 };
    }
  }
}

/** Splits indexes into runs of few bytes, of one event at least. */
function inFewBytes(sizes: ReadonlyMap<number, number>): readonly (readonly number[])[] {
  const runs: number[][] = [];
  let room = 0;
  for (const [index, size] of sizes) {
    const run = runs.at(-1);
    if (run === undefined || size > room) {
      runs.push([index]);
      room = MAX_BYTES - size;
    } else {
      run.push(index);
      room -= size;
    }
  }
  return runs;
}
