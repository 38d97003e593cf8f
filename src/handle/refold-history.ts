import { subjectName } from '../event/subject.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import type { MachineStates, VersionOrder } from '../store/machine-states.ts';
import { eventNumber } from './event-number.ts';
import { collectMarks } from './fold-marks.ts';
import type { FoldMemory } from './fold-memory.ts';
import type { Machine } from './machine.ts';
import { beginRefold, type Refolded } from './refold.ts';
import { rejoin } from './rejoin.ts';
import { openHistory } from './subject-history.ts';

/**
 * Folds a history that an event has joined. What a remembered fold knows is not
 * folded again: neither what comes before the event, nor what comes after the
 * place where it has ceased to make a difference.
 *
 * @throws whatever the machine throws on the event itself.
 */
export async function refoldHistory(
  machine: Machine,
  event: StoredEvent,
  events: VersionOrder['events'],
  states: Pick<MachineStates, 'storedEvents'>,
  memory: FoldMemory,
): Promise<Refolded> {
  const key = `${machine.name} ${event.source} ${subjectName(event.subject)}`;
  const known = memory.recall(key);
  const joins = known && rejoin(known, events, events.indexOf(eventNumber(event.id)));
  const start = joins?.start;
  const refolding = beginRefold(
    machine,
    event,
    start && { state: start.state, anomalies: known?.anomalies.slice(0, start.anomalies) ?? [] },
  );
  const history = openHistory(events, states, event);
  const marks = collectMarks();
  for (const mark of known?.marks ?? []) if (mark.at <= (start?.at ?? 0)) marks.pass(mark);
  let isWhole = true;

  for (let place = start?.at ?? 0; place < events.length;) {
    const next = await history.at(place);
    if (next === undefined) isWhole = false;
    else refolding.take(next);
    place += 1;
    marks.pass({ at: place, state: refolding.state, anomalies: refolding.anomalies.length });

    const mark = joins?.markAt(place);
    const last = joins?.last;
    if (mark === undefined || last === undefined || known === undefined) continue;
    if (mark.at >= last.at || !refolding.standsAt(mark.state)) continue;
    const more = refolding.anomalies.length - mark.anomalies;
    for (const passed of known.marks)
      if (passed.at > mark.at && passed.at <= last.at)
        marks.pass({ ...passed, at: passed.at + joins!.shift, anomalies: passed.anomalies + more });
    refolding.skipTo(last.state, known.anomalies.slice(mark.anomalies, last.anomalies));
    place = last.at + joins!.shift;
  }

  const refolded = refolding.end();
  const { state, anomalies } = refolded;
  // A history that somebody purges meanwhile is another one at the next read.
  if (isWhole) {
    const end = { at: events.length, state, anomalies: anomalies.length };
    memory.remember(key, { events, marks: marks.end(end), anomalies });
  }
  return refolded;
}
