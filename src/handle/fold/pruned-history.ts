/** Folds histories whose first events are pruned. */
import type { StoredEvent } from '../../event/stored-event.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import { MAX_ANOMALIES, type MachineStates, type VersionOrder } from '../../store/machine-states.ts';
import type { FoldedEvents, NewMachineBase } from '../../store/retention.ts';
import { recognizedKinds, type Machine } from '../define/machine.ts';
import { eventNumber } from './event-number.ts';
import { beginFold, type FoldAnomaly } from './fold.ts';
import { openHistory } from './subject-history.ts';

/** An index in a history, and the state of the events before it. */
export interface FoldStart {
  /** The number of events before it, in version order. */
  readonly at: number;
  readonly state: JsonValue;
  readonly anomalies: readonly FoldAnomaly[];
}

export type BaseReads = Pick<MachineStates, 'machineBase' | 'anomalies'>;

/**
 * Returns where the fold of a history with pruned events can start; null when the
 * state of the pruned events is not known.
 */
export async function startAfterPruned(
  machine: Machine,
  { source, subject }: Pick<StoredEvent, 'source' | 'subject'>,
  { events, prunedThrough }: VersionOrder,
  states: BaseReads,
): Promise<FoldStart | null> {
  const base = await states.machineBase(machine.name, source, subject);
  const at = base === null ? 0 : events.indexOf(base.through) + 1;
  if (base === null || at < prunedThrough) return null;
  const covered = new Set(events.subarray(0, at));
  const known = await states.anomalies(machine.name, source, subject, MAX_ANOMALIES);
  const anomalies = known
    .filter(({ eventId }) => covered.has(eventNumber(eventId)))
    .map(({ eventId, message }) => ({ eventId, message }));
  return { at, state: base.state, anomalies };
}

/**
 * Folds what remains of a history up to its last pruned event, for a machine that
 * sees the subject for the first time. One anomaly says what is missing.
 */
export async function foldRemaining(
  machine: Machine,
  event: StoredEvent,
  { events, prunedThrough }: VersionOrder,
  states: Pick<MachineStates, 'storedEvents'>,
): Promise<FoldStart> {
  const folding = beginFold(machine);
  const history = openHistory(events, states, event);
  let missing = 0;
  for (let index = 0; index < prunedThrough; index += 1) {
    const next = await history.at(index);
    if (next === undefined) missing += 1;
    else folding.takeLogged(next);
  }
  const hole = missingAnomaly(events[prunedThrough - 1] ?? 0, missing);
  return { at: prunedThrough, state: folding.state, anomalies: [hole, ...folding.anomalies] };
}

/** The anomaly of a state that was folded without some events; `last` is the number of the last of them. */
export function missingAnomaly(last: number, missing: number): FoldAnomaly {
  const events = missing === 1 ? 'event' : 'events';
  return {
    eventId: String(last),
    message: `the state is without ${String(missing)} pruned ${events} of the subject`,
  };
}

/** The anomaly of an event that could not be folded at its index. */
export const KEPT_MESSAGE =
  'not folded: it belongs before events whose bodies are pruned, so the state was kept as it was';

type PruningReads = BaseReads & Pick<MachineStates, 'machineState' | 'versionOrder' | 'storedEvents'>;

/**
 * Computes the states that events to be pruned leave, so that later events of the
 * subject can still be folded at their indexes. No effect runs.
 *
 * A machine that is not defined here gets no base. Neither does one whose earlier
 * events were pruned without a base: its state is kept as it is.
 */
export async function basesBeforePruning(
  machines: readonly Machine[],
  pruning: FoldedEvents,
  states: PruningReads,
): Promise<readonly NewMachineBase[]> {
  const bases: NewMachineBase[] = [];
  const gone = new Set(pruning.events);
  for (const machine of machines.filter(({ name }) => pruning.machines.includes(name))) {
    const base = await baseBeforePruning(machine, pruning, gone, states);
    if (base !== null) bases.push(base);
  }
  return bases;
}

async function baseBeforePruning(
  machine: Machine,
  { source, subject }: FoldedEvents,
  gone: ReadonlySet<number>,
  states: PruningReads,
): Promise<NewMachineBase | null> {
  const known = await states.machineState(machine.name, source, subject);
  if (known === null) return null;
  const kinds = recognizedKinds(machine);
  // All events to date: a discarded dead letter may be newer than the state.
  const order = await states.versionOrder({ source, subject, kinds });
  const last = order.events.findLastIndex((number) => gone.has(number));
  const through = order.events[last];
  if (through === undefined) return null;
  const base = { machine: machine.name, source, subject, through, revision: known.revision };
  // The stored state is that of all events.
  if (last + 1 === order.events.length) return { ...base, state: known.state };

  const start =
    order.prunedThrough === 0
      ? { at: 0, state: machine.initial, anomalies: [] }
      : await startAfterPruned(machine, { source, subject }, order, states);
  if (start === null || start.at > last) return null;
  const folding = beginFold(machine, start.state);
  const history = openHistory(order.events, states);
  for (let index = start.at; index <= last; index += 1) {
    const next = await history.at(index);
    // Pruned meanwhile by another process, which stored the base for it.
    if (next === undefined) return null;
    folding.takeLogged(next);
  }
  return { ...base, state: folding.state };
}
