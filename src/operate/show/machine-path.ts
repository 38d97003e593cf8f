/** The phases that a subject passed in a machine. */
import type { JsonValue } from '../../kernel/json/json.ts';
import { recognizedKinds, type Machine } from '../../handle/define/machine.ts';
import { movesBetween, phasesOf } from '../../store/state-phases.ts';
import type { Transition } from '../../handle/define/transition-table.ts';
import { eventNumber } from '../../handle/fold/event-number.ts';
import { beginFold } from '../../handle/fold/fold.ts';
import { startAfterPruned } from '../../handle/fold/pruned-history.ts';
import { openHistory } from '../../handle/fold/subject-history.ts';
import type { MachineStates } from '../../store/machine-states.ts';
import type { SourceSubject } from '../../store/queries.ts';
import { errorText, type Unmasking } from '../../view/payload/unmasking.ts';

/** The limit of events that are folded for one path: their bodies are read. */
const MAX_EVENTS = 2_000;

/** One event on the path of a subject through a machine. */
export interface PathStep {
  readonly eventId: string;
  readonly kind: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** The phases after the event, with likely personal data replaced unless unmasked. */
  readonly phases: readonly string[];
  /** What the event moved; empty when it left the phases as they were. */
  readonly moves: readonly Pick<Transition, 'from' | 'to'>[];
  /** What is impossible about it, with likely personal data replaced unless unmasked. */
  readonly anomalies: readonly string[];
}

/** The path of a subject through a machine. */
export interface MachinePath {
  /** In the order of versions. */
  readonly steps: readonly PathStep[];
  /** The phases before the first step. */
  readonly from: readonly string[];
  /**
   * Why the path does not begin with the first event, if so: `pruned` events have no content; of a `long` history
   * only the latest 2,000 events are folded, from the initial state, so that the first steps may differ.
   */
  readonly missing: 'pruned' | 'long' | null;
}

type PathStore = Pick<MachineStates, 'versionOrder' | 'storedEvents' | 'machineBase' | 'anomalies'>;

/**
 * Folds the events of a subject to see which phases it passed. Nothing is stored, and no effect runs.
 *
 * @param until ids of events: the path ends with the last of them in the order of versions; by default with the
 *   last event
 */
export async function machinePath(
  store: PathStore,
  machine: Machine,
  { source, subject }: SourceSubject,
  { until, ...unmasking }: Unmasking & { readonly until?: readonly string[] },
): Promise<MachinePath> {
  const order = await store.versionOrder({ source, subject, kinds: recognizedKinds(machine) });
  const wanted = new Set(until?.map(eventNumber));
  const last = until === undefined ? -1 : order.events.findLastIndex((number) => wanted.has(number));
  const end = until === undefined ? order.events.length : last + 1;
  const { at, state, missing } = await startOf(store, machine, { source, subject }, order, end);

  const shown = (phase: string): string => errorText(phase, unmasking);
  const folding = beginFold(machine, state);
  const history = openHistory(order.events, store);
  const steps: PathStep[] = [];
  for (let index = at; index < end; index += 1) {
    const event = await history.at(index);
    if (event === undefined) continue;
    const [before, known] = [folding.state, folding.anomalies.length];
    folding.takeLogged(event);
    steps.push({
      eventId: event.id,
      kind: event.kind,
      receivedAt: event.receivedAt,
      phases: phasesOf(folding.state).map(shown),
      moves: movesBetween(before, folding.state).map(({ from, to }) => ({
        from: shown(from),
        to: shown(to),
      })),
      anomalies: folding.anomalies.slice(known).map(({ message }) => errorText(message, unmasking)),
    });
  }
  return { steps, from: phasesOf(state).map(shown), missing };
}

/** Where the fold begins: at the first event, after the pruned ones, or so many events before the end. */
async function startOf(
  store: PathStore,
  machine: Machine,
  subject: SourceSubject,
  order: Awaited<ReturnType<MachineStates['versionOrder']>>,
  end: number,
): Promise<{ readonly at: number; readonly state: JsonValue; readonly missing: MachinePath['missing'] }> {
  const latest = Math.max(0, end - MAX_EVENTS);
  const pruned = Math.min(order.prunedThrough, end);
  if (pruned > 0) {
    const base = await startAfterPruned(machine, subject, order, store);
    if (base !== null && base.at >= latest && base.at <= end)
      return { at: base.at, state: base.state, missing: 'pruned' };
  }
  const missing = latest > pruned ? 'long' : pruned > 0 ? 'pruned' : null;
  return { at: Math.max(latest, pruned), state: machine.initial, missing };
}
