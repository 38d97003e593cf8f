import { subjectName } from '../../event/subject.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import type { MachineStates, VersionOrder } from '../../store/machine-states.ts';
import { eventNumber } from './event-number.ts';
import { collectSnapshots, savedFolding, type FoldMemory } from './fold-memory.ts';
import type { Machine } from '../define/machine.ts';
import { beginRefold, type Refolded } from './refold.ts';
import { openHistory } from './subject-history.ts';

/**
 * Folds a history that an event has joined. It starts from the last remembered
 * snapshot before the event, and skips what comes after the place from which
 * on the event makes no difference.
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
  const saved = known && savedFolding(known, events, events.indexOf(eventNumber(event.id)));
  const start = saved?.start;
  const refolding = beginRefold(
    machine,
    event,
    start && { state: start.state, anomalies: known?.anomalies.slice(0, start.anomalies) ?? [] },
  );
  const history = openHistory(events, states, event);
  const snapshots = collectSnapshots();
  for (const one of known?.snapshots ?? []) if (one.at <= (start?.at ?? 0)) snapshots.offer(one);
  let isWhole = true;

  for (let place = start?.at ?? 0; place < events.length;) {
    const next = await history.at(place);
    if (next === undefined) isWhole = false;
    else refolding.take(next);
    place += 1;
    snapshots.offer({ at: place, state: refolding.state, anomalies: refolding.anomalies.length });

    const same = saved?.snapshotAt(place);
    if (known === undefined || saved?.last === undefined || same === undefined) continue;
    const { last, shift } = saved;
    if (same.at >= last.at || !refolding.standsAt(same.state)) continue;
    const added = refolding.anomalies.length - same.anomalies;
    for (const one of known.snapshots)
      if (one.at > same.at && one.at <= last.at)
        snapshots.offer({ ...one, at: one.at + shift, anomalies: one.anomalies + added });
    refolding.skipTo(last.state, known.anomalies.slice(same.anomalies, last.anomalies));
    place = last.at + shift;
  }

  const refolded = refolding.end();
  const { state, anomalies } = refolded;
  // An event that was purged meanwhile is missing from the log of the next read.
  if (isWhole) {
    const whole = { at: events.length, state, anomalies: anomalies.length };
    memory.remember(key, { events, snapshots: snapshots.end(whole), anomalies });
  }
  return refolded;
}
