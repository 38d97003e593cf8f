import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { StoredEvent } from '../event/stored-event.ts';
import type { Subject } from '../event/subject.ts';
import type { MachineStates } from '../store/machine-states.ts';
import type { Machine } from './machine.ts';
import { inVersionOrder } from './version-order.ts';
import { wantsEvent } from './wants-event.ts';

/** Events that are read and folded before others get a turn: some ten milliseconds, and all that memory holds. */
const PAGE = 500;

export interface HistoryRequest {
  readonly source: string;
  readonly subject: Subject;
  /** The last event to arrive that is wanted; all unless given. */
  readonly through?: string | undefined;
  /** One that belongs to the history whatever became of its payload in the log. */
  readonly event?: StoredEvent;
}

/**
 * What a machine takes of a subject's stored events, in version order. A
 * subject may have a hundred thousand: they are read page by page, and requests
 * and other lanes go on in between.
 */
export async function* subjectHistory(
  machine: Machine,
  { source, subject, through, event }: HistoryRequest,
  states: Pick<MachineStates, 'subjectLog' | 'storedEvents'>,
): AsyncGenerator<StoredEvent, void, undefined> {
  const log = await states.subjectLog(source, subject, through);
  const wanted = log.filter((one) => wantsEvent(machine, one));
  const ids = inVersionOrder(event === undefined ? wanted : [...wanted, event]).map(({ id }) => id);
  for (let from = 0; from < ids.length; from += PAGE) {
    if (from > 0) await turnOfTheLoop();
    const page = ids.slice(from, from + PAGE);
    const unknown = page.filter((id) => id !== event?.id);
    const stored = unknown.length === 0 ? [] : await states.storedEvents(unknown);
    const known = new Map([...stored, ...(event === undefined ? [] : [event])].map((one) => [one.id, one]));
    // Purged in the meantime, an event is left out.
    for (const id of page) {
      const next = known.get(id);
      if (next !== undefined) yield next;
    }
  }
}
