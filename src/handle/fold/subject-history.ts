import { beginTimeSlice } from '../../kernel/time/time-slice.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import type { MachineStates } from '../../store/machine-states.ts';
import { eventNumber } from './event-number.ts';

/** Events that are read at a time, and all that memory holds. */
const PAGE = 250;

/** The events of a history, of which there may be a hundred thousand: read page by page. */
export interface SubjectHistory {
  /** The event at a place from 0; undefined when it was purged in the meantime. */
  at(place: number): Promise<StoredEvent | undefined>;
}

/**
 * Requests and other lanes go on while a history is read and folded: what is
 * done between two calls is short, and they are let in when enough of it was done.
 *
 * @param event one that is at hand
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

  async function read(place: number): Promise<void> {
    from = place;
    to = Math.min(place + PAGE, numbers.length);
    const wanted = Array.from(numbers.subarray(from, to)).filter((number) => number !== own);
    const events = wanted.length === 0 ? [] : await states.storedEvents(wanted.map(String));
    page = new Map(events.map((one) => [eventNumber(one.id), one]));
    await slice.next();
  }

  return {
    async at(place) {
      const number = numbers[place];
      if (number === undefined) return undefined;
      if (number === own) return event;
      if (place < from || place >= to) await read(place);
      else if (slice.isOver()) await slice.next();
      return page.get(number);
    },
  };
}
