/** Folds the event of a delivery into its machine's state. */
import type { StoredEvent } from '../../event/stored-event.ts';
import { highestVersion } from '../../event/version-order.ts';
import type { ClaimedDelivery, MachineCommit, MachineEffect } from '../../store/lane-queue.ts';
import type { MachineState, MachineStates, VersionOrder } from '../../store/machine-states.ts';
import type { MachineBase } from '../../store/retention.ts';
import { recognizedKinds, type Machine } from '../define/machine.ts';
import { eventNumber } from './event-number.ts';
import { foldOne, type CalledEffect } from './fold.ts';
import { createFoldMemory, type FoldMemory } from './fold-memory.ts';
import { foldRemaining, KEPT_MESSAGE, startAfterPruned, type BaseReads } from './pruned-history.ts';
import { refoldHistory, type Refolded } from './refold.ts';

/** What a fold reads. */
export type FoldReads = BaseReads &
  Pick<MachineStates, 'machineState' | 'versionOrder' | 'storedEvents' | 'hasDiedOf'>;

/**
 * Folds the event of a delivery into a machine's state, and returns the commit
 * to store with the delivery's outcome.
 *
 * An event that comes after everything the machine has seen is folded into the
 * current state. Any other event (late, out of order, replayed, or the first
 * that the machine sees of a subject) makes it fold the subject's stored events
 * again, so that every order of arrival ends in the same state. An event that
 * belongs before pruned ones leaves the state as it is, and an anomaly.
 *
 * @throws whatever the machine throws on this event; TypeError when its state is not JSON.
 */
export async function foldDelivery(
  machine: Machine,
  delivery: Pick<ClaimedDelivery, 'event' | 'replay'>,
  states: FoldReads,
  memory: FoldMemory = createFoldMemory(),
): Promise<MachineCommit> {
  const { event, replay } = delivery;
  const known = await states.machineState(machine.name, event.source, event.subject);
  if (known !== null && replay === null && follows(event, known)) return extend(machine, event, known, false);

  const lastEventId = known === null ? event.id : later(known.lastEventId, event.id);
  const { source, subject } = event;
  const kinds = recognizedKinds(machine);
  const order = await states.versionOrder({ source, subject, kinds, through: lastEventId, event });
  const refolded = await refoldOrder(machine, event, order, known, { states, memory });
  if (refolded === null) return withoutHistory(machine, event, known, order);
  const effects =
    replay === null ? newEffects(refolded) : await repeatedEffects(machine, refolded, event, states);
  return {
    machine: machine.name,
    state: refolded.state,
    version: order.version,
    lastEventId,
    revision: known?.revision ?? 0,
    anomalies: refolded.anomalies,
    refolded: true,
    effects,
    ...(refolded.base && { base: refolded.base }),
  };
}

/** Refolds a history; null when the machine has a state and the event belongs before pruned ones. */
async function refoldOrder(
  machine: Machine,
  event: StoredEvent,
  order: VersionOrder,
  known: MachineState | null,
  { states, memory }: { readonly states: FoldReads; readonly memory: FoldMemory },
): Promise<(Refolded & { readonly base?: MachineBase }) | null> {
  const { events, prunedThrough: through } = order;
  if (through === 0) return refoldHistory(machine, event, order, states, memory);
  if (known !== null) {
    const start = await startAfterPruned(machine, event, order, states);
    return refoldHistory(machine, event, order, states, memory, { through, start });
  }
  const remaining = await foldRemaining(machine, event, order, states);
  const start = remaining.at <= events.indexOf(eventNumber(event.id)) ? remaining : null;
  // An event among the pruned ones is folded with what remains of the whole history.
  const refolded = await refoldHistory(
    machine,
    event,
    order,
    states,
    memory,
    start === null ? undefined : { through, start },
  );
  if (refolded === null) return null;
  const [hole] = remaining.anomalies;
  return {
    ...refolded,
    anomalies: start === null && hole !== undefined ? [hole, ...refolded.anomalies] : refolded.anomalies,
    base: { state: remaining.state, through: events[through - 1] ?? 0 },
  };
}

/** An event after all known ones needs no history; any other leaves the state as it is. */
function withoutHistory(
  machine: Machine,
  event: StoredEvent,
  known: MachineState | null,
  order: VersionOrder,
): MachineCommit {
  if (known !== null && follows(event, known))
    return extend(machine, event, known, event.verdict === 'stale');
  return {
    machine: machine.name,
    state: known?.state ?? machine.initial,
    version: order.version,
    lastEventId: known === null ? event.id : later(known.lastEventId, event.id),
    revision: known?.revision ?? 0,
    anomalies: [{ eventId: event.id, message: KEPT_MESSAGE }],
    refolded: false,
    effects: [],
  };
}

function follows(event: StoredEvent, known: MachineState): boolean {
  if (eventNumber(event.id) <= eventNumber(known.lastEventId)) return false;
  return event.version === null || known.version === null || event.version >= known.version;
}

function extend(machine: Machine, event: StoredEvent, known: MachineState, late: boolean): MachineCommit {
  const folded = foldOne(machine, known.state, event);
  return {
    machine: machine.name,
    state: folded.state,
    version: highestVersion([known, event]),
    lastEventId: event.id,
    revision: known.revision,
    anomalies: folded.anomalies,
    refolded: false,
    effects: folded.effects.map((effect) => stored(effect, late)),
  };
}

function newEffects({ newEffects, late }: Refolded): readonly MachineEffect[] {
  return newEffects.map((effect) => stored(effect, late));
}

/**
 * A replay repeats the effects of its own event; they are late if they were late
 * at first. If the event had become a dead letter, later events were folded
 * without it, so the effects it adds to their changes are new as well.
 */
async function repeatedEffects(
  { name }: Machine,
  { ownEffects, laterEffects }: Refolded,
  event: StoredEvent,
  states: Pick<MachineStates, 'hasDiedOf'>,
): Promise<readonly MachineEffect[]> {
  const own = ownEffects.map((effect) => stored(effect, event.verdict === 'stale'));
  if (laterEffects.length === 0 || !(await states.hasDiedOf(name, event.id))) return own;
  return [...own, ...laterEffects.map((effect) => stored(effect, true))];
}

/** Omits the event: the delivery refers to it, so that personal data is stored once. */
function stored({ name, change }: CalledEffect, late: boolean): MachineEffect {
  return { eventId: change.event.id, name, change: { before: change.before, after: change.after }, late };
}

function later(one: string, other: string): string {
  return eventNumber(one) > eventNumber(other) ? one : other;
}
