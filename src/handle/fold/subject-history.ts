/** Reads the events of a subject for a fold, page by page. */
import { beginTimeSlice } from '../../kernel/time/time-slice.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import type { MachineStates } from '../../store/machine-states.ts';
import { eventNumber } from './event-number.ts';

/** Events per read, and the limit of events in memory. */
const PAGE = 250;

/** Reads a subject's events page by page, because there may be a hundred thousand. */
export interface SubjectHistory {
  /** Returns the event at an index, counted from 0; undefined when it has been pruned. */
  at(index: number): Promise<StoredEvent | undefined>;
}

/**
 * Opens a history for reading in order. Reading yields to the event loop from
 * time to time, so that requests and other lanes go on during a long fold.
 *
 * @param numbers of the events, in the order in which they are read
 * @param event one that is already in memory, and perhaps not yet stored
 */
export function openHistory(
  numbers: Float64Array,
  states: Pick<MachineStates, 'storedEvents'>,
  event?: StoredEvent,
): SubjectHistory {
  const slice = beginTimeSlice();
  const own = event === undefined ? undefined : eventNumber(event.id);
  let page = new Map<number, StoredEvent>();
  let from = 0;
  let to = 0;

  async function read(index: number): Promise<void> {
    from = index;
    to = Math.min(index + PAGE, numbers.length);
    const wanted = Array.from(numbers.subarray(from, to)).filter((number) => number !== own);
    const events = wanted.length === 0 ? [] : await states.storedEvents(wanted.map(String));
    page = new Map(events.map((one) => [eventNumber(one.id), one]));
    await slice.next();
  }

  return {
    async at(index) {
      const number = numbers[index];
      if (number === undefined) return undefined;
      if (number === own) return event;
      if (index < from || index >= to) await read(index);
      else if (slice.isOver()) await slice.next();
      return page.get(number);
    },
  };
}
