import type { Subject } from '../../event/subject.ts';
import { highestVersion } from '../../event/version-order.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import type { MachineStates } from '../../store/machine-states.ts';
import { recognizedKinds, type Machine } from '../define/machine.ts';
import { eventNumber } from './event-number.ts';
import { beginFold, type FoldAnomaly } from './fold.ts';
import { openHistory } from './subject-history.ts';

/** The result of a rebuild. */
export interface Rebuilt {
  /** Null when the machine had no state for the subject. */
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** The number of folded events. */
  readonly events: number;
  readonly anomalies: readonly FoldAnomaly[];
}

/** A rebuild starts over when a delivery changes the state meanwhile, and fails after this many attempts. */
const MAX_ATTEMPTS = 5;

/**
 * Folds a subject's stored events again and stores the state, without running
 * any effect. Events from the first one on that waits in the machine's lane are
 * left to their deliveries: a rebuild that folded them would make them late.
 * Returns null when no event of the subject remains to be folded.
 *
 * @param firstWaiting reads the id of the first waiting event; called when the machine has no state for the subject
 * @throws PortariaError `machine-conflict` when the state changed during every attempt.
 */
export async function rebuildSubject(
  machine: Machine,
  source: string,
  subject: Subject,
  states: Pick<MachineStates, 'machineState' | 'versionOrder' | 'storedEvents' | 'commitMachine'>,
  clock: Pick<Clock, 'now'>,
  firstWaiting: () => Promise<string | undefined> = () => Promise.resolve(undefined),
): Promise<Rebuilt | null> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rebuildOnce(machine, source, subject, states, clock, firstWaiting);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !PortariaError.is(error, 'machine-conflict')) throw error;
    }
  }
}

async function rebuildOnce(
  machine: Machine,
  source: string,
  subject: Subject,
  states: Pick<MachineStates, 'machineState' | 'versionOrder' | 'storedEvents' | 'commitMachine'>,
  clock: Pick<Clock, 'now'>,
  firstWaiting: () => Promise<string | undefined>,
): Promise<Rebuilt | null> {
  const known = await states.machineState(machine.name, source, subject);
  const waiting = known === null ? await firstWaiting() : undefined;
  const folding = beginFold(machine);
  let events = 0;
  let version: string | null = null;
  let newest: string | undefined;
  const kinds = recognizedKinds(machine);
  const order = await states.versionOrder({ source, subject, kinds, through: known?.lastEventId });
  const history = openHistory(order.events, states);
  for (const [place, number] of order.events.entries()) {
    if (waiting !== undefined && number >= eventNumber(waiting)) continue;
    const event = await history.at(place);
    if (event === undefined) continue;
    folding.takeLogged(event);
    events += 1;
    version = highestVersion([{ version }, event]);
    if (newest === undefined || number > eventNumber(newest)) newest = event.id;
  }
  if (newest === undefined) return null;
  await states.commitMachine(
    source,
    subject,
    {
      machine: machine.name,
      state: folding.state,
      version,
      lastEventId: known?.lastEventId ?? newest,
      revision: known?.revision ?? 0,
      anomalies: folding.anomalies,
      refolded: true,
      effects: [],
    },
    clock.now(),
  );
  return {
    before: known?.state ?? null,
    after: folding.state,
    events,
    anomalies: folding.anomalies,
  };
}
