import { subjectName } from '../event/subject.ts';
import type { Subject } from '../event/subject.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import { highestVersion, inVersionOrder } from '../event/version-order.ts';
import { eventNumber, inArrivalOrder } from '../handle/fold/event-number.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { MachineCommit } from '../store/lane-queue.ts';
import type { MachineState, MachineStates } from '../store/machine-states.ts';

/** The part of a store that folding needs, in memory. */
export interface MemoryMachineStates extends Pick<
  MachineStates,
  'machineState' | 'versionOrder' | 'storedEvents' | 'hasDiedOf' | 'commitMachine'
> {
  /** Appends an event to the log. */
  log(event: StoredEvent): void;
}

export function memoryMachineStates(): MemoryMachineStates {
  const events: StoredEvent[] = [];
  const byNumber = new Map<number, StoredEvent>();
  const states = new Map<string, MachineState>();
  const keyOf = (machine: string, source: string, subject: Subject): string =>
    `${machine} ${source} ${subjectName(subject)}`;

  return {
    log(event) {
      events.push(event);
      byNumber.set(eventNumber(event.id), event);
    },
    machineState: (machine, source, subject) =>
      Promise.resolve(states.get(keyOf(machine, source, subject)) ?? null),
    versionOrder: ({ source, subject, kinds, through, event: joined }) => {
      const found: Pick<StoredEvent, 'id' | 'version'>[] = events.filter(
        (event) =>
          event.source === source &&
          subjectName(event.subject) === subjectName(subject) &&
          (kinds === undefined || (event.recognized && kinds.includes(event.kind))) &&
          (through === undefined || eventNumber(event.id) <= eventNumber(through)),
      );
      const ordered = inVersionOrder(inArrivalOrder(joined === undefined ? found : [...found, joined]));
      return Promise.resolve({
        events: Float64Array.from(ordered, ({ id }) => eventNumber(id)),
        version: highestVersion(ordered),
        erased: 0,
      });
    },
    storedEvents: (ids) => Promise.resolve(ids.flatMap((id) => byNumber.get(eventNumber(id)) ?? [])),
    // Without deliveries there are no dead letters.
    hasDiedOf: () => Promise.resolve(false),
    commitMachine: (source, subject, commit, now) => {
      const key = keyOf(commit.machine, source, subject);
      const known = states.get(key);
      if ((known?.revision ?? 0) !== commit.revision) {
        return Promise.reject(
          new PortariaError('machine-conflict', 'the state has changed since it was read'),
        );
      }
      states.set(key, nextState(known, source, subject, commit, now));
      return Promise.resolve();
    },
  };
}

function nextState(
  known: MachineState | undefined,
  source: string,
  subject: Subject,
  commit: MachineCommit,
  now: number,
): MachineState {
  const { machine, state, version, lastEventId, revision, anomalies, refolded } = commit;
  const kept = refolded ? 0 : (known?.anomalies ?? 0);
  return {
    machine,
    source,
    subject,
    state,
    version,
    lastEventId,
    revision: revision + 1,
    updatedAt: now,
    anomalies: kept + anomalies.length,
  };
}
