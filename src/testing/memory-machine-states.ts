/** The states of machines in memory, for tests of folds. */
import { subjectName, type Subject } from '../event/subject.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import { highestVersion, inVersionOrder } from '../event/version-order.ts';
import { eventNumber, inArrivalOrder } from '../handle/fold/event-number.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { MachineCommit } from '../store/lane-queue.ts';
import type { Anomaly, MachineState, MachineStates } from '../store/machine-states.ts';
import type { MachineBase, NewMachineBase } from '../store/retention.ts';

/** The part of a store that folding needs, in memory. */
export interface MemoryMachineStates extends Pick<
  MachineStates,
  | 'machineState'
  | 'machineBase'
  | 'versionOrder'
  | 'storedEvents'
  | 'hasDiedOf'
  | 'anomalies'
  | 'commitMachine'
> {
  /** Appends an event to the log. */
  log(event: StoredEvent): void;
  /** Removes the payloads of events, after storing the bases that stand for them. */
  prune(events: readonly number[], bases?: readonly NewMachineBase[]): void;
}

export function memoryMachineStates(): MemoryMachineStates {
  const events: StoredEvent[] = [];
  const byNumber = new Map<number, StoredEvent>();
  const states = new Map<string, MachineState>();
  const bases = new Map<string, MachineBase>();
  const anomalies = new Map<string, readonly Anomaly[]>();
  const pruned = new Set<number>();
  const keyOf = (machine: string, source: string, subject: Subject): string =>
    `${machine} ${source} ${subjectName(subject)}`;

  return {
    log(event) {
      events.push(event);
      byNumber.set(eventNumber(event.id), event);
    },
    prune(numbers, newBases = []) {
      for (const { machine, source, subject, state, through } of newBases)
        bases.set(keyOf(machine, source, subject), { state, through });
      for (const number of numbers) pruned.add(number);
    },
    machineBase: (machine, source, subject) =>
      Promise.resolve(bases.get(keyOf(machine, source, subject)) ?? null),
    anomalies: (machine, source, subject) =>
      Promise.resolve(anomalies.get(keyOf(machine, source, subject)) ?? []),
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
        prunedThrough: ordered.findLastIndex(({ id }) => pruned.has(eventNumber(id))) + 1,
      });
    },
    storedEvents: (ids) => {
      const numbers = ids.map(eventNumber).filter((number) => !pruned.has(number));
      return Promise.resolve(numbers.flatMap((number) => byNumber.get(number) ?? []));
    },
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
      const found = commit.anomalies.map((anomaly) => ({ ...anomaly, machine: commit.machine }));
      anomalies.set(key, [...(commit.refolded ? [] : (anomalies.get(key) ?? [])), ...found]);
      if (commit.base !== undefined) bases.set(key, commit.base);
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
