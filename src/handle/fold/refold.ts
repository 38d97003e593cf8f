import { isDeepStrictEqual } from 'node:util';
import type { StoredEvent } from '../../event/stored-event.ts';
import { inVersionOrder } from '../../event/version-order.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import { beginFold, type CalledEffect, type FoldAnomaly, type Folding } from './fold.ts';
import { inArrivalOrder } from './event-number.ts';
import type { Machine } from '../define/machine.ts';
import { wantsEvent } from '../define/definition.ts';

/** What became of a subject's history once an event joined it. */
export interface Refolded {
  readonly state: JsonValue;
  readonly anomalies: readonly FoldAnomaly[];
  /** Those that the event's own change calls for. */
  readonly ownEffects: readonly CalledEffect[];
  /** Those that the event brought about in what came after it. */
  readonly laterEffects: readonly CalledEffect[];
  /** Both. */
  readonly newEffects: readonly CalledEffect[];
  /** Whether something newer than the event was already known. */
  readonly late: boolean;
}

/** A refold under way: it is given the history in version order, the event among it. */
export interface Refolding {
  readonly state: JsonValue;
  readonly anomalies: readonly FoldAnomaly[];
  /** @throws whatever the machine throws on the event itself. */
  take(next: StoredEvent): void;
  /** Whether this is the state now, and would be without the event: it makes no difference any more. */
  standsAt(state: JsonValue): boolean;
  /** Goes on from a later place of the history, which is known to follow on this one. */
  skipTo(state: JsonValue, anomalies: readonly FoldAnomaly[]): void;
  end(): Refolded;
}

/**
 * Folds a subject's history anew from the machine's initial state. Which
 * effects are new is told by folding what comes after the event without it,
 * too: so a machine which is new to an old log does not act on years of events
 * at once.
 */
export function beginRefold(
  machine: Machine,
  event: StoredEvent,
  from?: { readonly state: JsonValue; readonly anomalies: readonly FoldAnomaly[] },
): Refolding {
  let folding = beginFold(machine, from?.state, from?.anomalies);
  /** From where the event joined: the same history without it. */
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
      const before = new Set(without.takeLogged(next).map(({ name }) => name));
      laterEffects.push(...called.filter(({ name }) => !before.has(name)));
    },
    standsAt: (state) =>
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

/**
 * The same for events that are all at hand, in whatever order.
 *
 * @throws whatever the machine throws on `event`.
 */
export function refold(machine: Machine, events: readonly StoredEvent[], event: StoredEvent): Refolded {
  const refolding = beginRefold(machine, event);
  const wanted = events.filter((one) => wantsEvent(machine, one));
  for (const next of inVersionOrder(inArrivalOrder([...wanted, event]))) refolding.take(next);
  return refolding.end();
}
