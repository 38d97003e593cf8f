/** Computes a state again when an event has joined the history before others. */
import { isDeepStrictEqual } from 'node:util';
import { subjectName } from '../../event/subject.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import { inVersionOrder } from '../../event/version-order.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import type { MachineStates, VersionOrder } from '../../store/machine-states.ts';
import { wantsEvent } from '../define/definition.ts';
import type { Machine } from '../define/machine.ts';
import { eventNumber, inArrivalOrder } from './event-number.ts';
import { beginFold, type CalledEffect, type FoldAnomaly, type Folding } from './fold.ts';
import {
  collectSnapshots,
  reusableFold,
  type FoldedHistory,
  type FoldMemory,
  type FoldSnapshot,
} from './fold-memory.ts';
import type { FoldStart } from './pruned-history.ts';
import { openHistory } from './subject-history.ts';

/** The result of folding a subject's history again after an event joined it. */
export interface Refolded {
  readonly state: JsonValue;
  readonly anomalies: readonly FoldAnomaly[];
  /** Effects that the event's own change requires. */
  readonly ownEffects: readonly CalledEffect[];
  /** Effects that changes after the event require only because the event joined. */
  readonly laterEffects: readonly CalledEffect[];
  /** `ownEffects` and `laterEffects`. */
  readonly newEffects: readonly CalledEffect[];
  /** True when the history has events after this one. */
  readonly late: boolean;
}

/**
 * Folds a stored history that `event` has joined. It starts from the last
 * remembered snapshot before the event, and skips the rest of the history once
 * the event no longer makes a difference to the state.
 *
 * Returns null when the event belongs before pruned events, or nothing is known
 * of their state: a fold of what remains would give another state.
 *
 * @param order all events in version order, including `event`
 * @param pruned the number of events up to the last pruned one, and where a fold may start
 * @throws whatever the machine throws on `event` itself.
 */
export async function refoldHistory(
  machine: Machine,
  event: StoredEvent,
  { events, erased }: Pick<VersionOrder, 'events' | 'erased'>,
  states: Pick<MachineStates, 'storedEvents'>,
  memory: FoldMemory,
  pruned: { readonly through: number; readonly start: FoldStart | null } = { through: 0, start: null },
): Promise<Refolded | null> {
  const key = `${machine.name} ${event.source} ${subjectName(event.subject)}`;
  const known = memory.recall(key, erased);
  const ownIndex = events.indexOf(eventNumber(event.id));
  const reusable = known && reusableFold(known, events, ownIndex);
  const start = latestStart(rememberedStart(known, reusable?.start), pruned.start);
  if ((start?.at ?? 0) < pruned.through || (start?.at ?? 0) > ownIndex) return null;
  const refolding = beginRefold(machine, event, start);
  const history = openHistory(events, states, event);
  const snapshots = collectSnapshots();
  for (const one of known?.snapshots ?? []) if (one.at <= (start?.at ?? 0)) snapshots.offer(one);
  let isWhole = true;

  for (let index = start?.at ?? 0; index < events.length;) {
    const next = await history.at(index);
    if (next === undefined) isWhole = false;
    else refolding.take(next);
    index += 1;
    snapshots.offer({ at: index, state: refolding.state, anomalies: refolding.anomalies.length });

    const same = reusable?.snapshotAt(index);
    if (known === undefined || reusable?.last === undefined || same === undefined) continue;
    const { last, shift } = reusable;
    if (same.at >= last.at || !refolding.hasConverged(same.state)) continue;
    const added = refolding.anomalies.length - same.anomalies;
    for (const one of known.snapshots)
      if (one.at > same.at && one.at <= last.at)
        snapshots.offer({ ...one, at: one.at + shift, anomalies: one.anomalies + added });
    refolding.skipTo(last.state, known.anomalies.slice(same.anomalies, last.anomalies));
    index = last.at + shift;
  }

  const refolded = refolding.end();
  const { state, anomalies } = refolded;
  // An event was pruned during this fold.
  if (isWhole) {
    const whole = { at: events.length, state, anomalies: anomalies.length };
    memory.remember(key, { events, erased, snapshots: snapshots.end(whole), anomalies });
  }
  return refolded;
}

function rememberedStart(
  known: FoldedHistory | undefined,
  snapshot: FoldSnapshot | undefined,
): FoldStart | undefined {
  if (known === undefined || snapshot === undefined) return undefined;
  return { ...snapshot, anomalies: known.anomalies.slice(0, snapshot.anomalies) };
}

function latestStart(one: FoldStart | undefined, other: FoldStart | null): FoldStart | undefined {
  if (one === undefined || other === null) return one ?? other ?? undefined;
  return one.at >= other.at ? one : other;
}

/**
 * Folds a history that is in memory. `events` may be in any order.
 *
 * @throws whatever the machine throws on `event`.
 */
export function refold(machine: Machine, events: readonly StoredEvent[], event: StoredEvent): Refolded {
  const refolding = beginRefold(machine, event);
  const wanted = events.filter((one) => wantsEvent(machine, one));
  for (const next of inVersionOrder(inArrivalOrder([...wanted, event]))) refolding.take(next);
  return refolding.end();
}

/** A refold in progress. It takes the history in version order, including the event that joined. */
interface Refolding {
  readonly state: JsonValue;
  readonly anomalies: readonly FoldAnomaly[];
  /** @throws whatever the machine throws on the event that joined. */
  take(next: StoredEvent): void;
  /** Reports whether the state is `state` both with and without the event, so that the rest of the fold is known. */
  hasConverged(state: JsonValue): boolean;
  /** Continues from a later index in the history, whose state and further anomalies are known. */
  skipTo(state: JsonValue, anomalies: readonly FoldAnomaly[]): void;
  end(): Refolded;
}

/**
 * Starts a refold from `from`, or from the machine's initial state. After the
 * event it also folds without it: only effects that differ between the two
 * folds are new. So a machine that is new to an old log does not act on years of events.
 */
function beginRefold(
  machine: Machine,
  event: StoredEvent,
  from?: { readonly state: JsonValue; readonly anomalies: readonly FoldAnomaly[] },
): Refolding {
  let folding = beginFold(machine, from?.state, from?.anomalies);
  /** The fold without the event; undefined until the event is taken. */
  let without: Folding | undefined;
  let ownEffects: readonly CalledEffect[] = [];
  const laterEffects: CalledEffect[] = [];
  let late = false;

  return {
    get state() {
      return folding.state;
    },
    get anomalies() {
      return folding.anomalies;
    },
    take(next) {
      if (next.id === event.id) {
        without = beginFold(machine, folding.state);
        ownEffects = folding.take(next);
        return;
      }
      const called = folding.takeLogged(next);
      if (without === undefined) return;
      late = true;
      const calledWithout = new Set(without.takeLogged(next).map(({ name }) => name));
      laterEffects.push(...called.filter(({ name }) => !calledWithout.has(name)));
    },
    hasConverged: (state) =>
      without !== undefined &&
      isDeepStrictEqual(folding.state, state) &&
      isDeepStrictEqual(without.state, state),
    skipTo(state, anomalies) {
      late = true;
      folding = beginFold(machine, state, [...folding.anomalies, ...anomalies]);
      without = beginFold(machine, state);
    },
    end: () => ({
      state: folding.state,
      anomalies: folding.anomalies,
      ownEffects,
      laterEffects,
      newEffects: [...ownEffects, ...laterEffects],
      late,
    }),
  };
}
