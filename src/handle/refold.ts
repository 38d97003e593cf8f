import type { StoredEvent } from '../event/stored-event.ts';
import { fold } from './fold.ts';
import type { CalledEffect, Folded } from './fold.ts';
import type { Machine } from './machine.ts';
import { inVersionOrder } from './version-order.ts';
import { wantsEvent } from './wants-event.ts';

/** What became of a subject's history once an event joined it. */
export interface Refolded extends Folded {
  /** Those of `effects` that this event brought about: its own, and new ones of what came after it. */
  readonly newEffects: readonly CalledEffect[];
  /** Whether something newer than the event was already known. */
  readonly late: boolean;
  /** The events folded, in version order. */
  readonly history: readonly StoredEvent[];
}

/**
 * Folds a subject's events and `event` anew, in version order, from the
 * machine's initial state. Which effects are new is told by folding the same
 * history without the event, so that a machine which is new to an old log does
 * not act on years of events at once.
 *
 * @throws whatever the machine throws on `event`.
 */
export function refold(machine: Machine, events: readonly StoredEvent[], event: StoredEvent): Refolded {
  const history = inVersionOrder([...events.filter((one) => wantsEvent(machine, one)), event]);
  const folded = fold(machine, history, event);
  const without = fold(
    machine,
    history.filter(({ id }) => id !== event.id),
  );
  const before = new Set(without.effects.map(effectKey));
  return {
    ...folded,
    newEffects: folded.effects.filter(
      (effect) => effect.change.event.id === event.id || !before.has(effectKey(effect)),
    ),
    late: history.at(-1)?.id !== event.id,
    history,
  };
}

function effectKey({ name, change }: CalledEffect): string {
  return `${change.event.id}/${name}`;
}
