import type { Subject } from '../../event/subject.ts';
import { highestVersion } from '../../event/version-order.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import type { MachineStates } from '../../store/machine-states.ts';
import { beginFold, type FoldAnomaly } from './fold.ts';
import { type Machine, recognizedKinds } from '../define/machine.ts';
import { eventNumber } from './event-number.ts';
import { openHistory } from './subject-history.ts';

export interface Rebuilt {
  /** Null when there was no state yet. */
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** How many events were folded. */
  readonly events: number;
  readonly anomalies: readonly FoldAnomaly[];
}

/** How often the state may change under a rebuild before it is given up: a busy subject, not a loop. */
const TRIES = 5;

/**
 * Folds a subject's stored events anew and stores the state. No effect runs.
 * Events that wait in their lane for the machine are left to it: what a
 * rebuild had folded would be late when its turn comes. Returns null when no
 * stored event of the subject is for the machine, or all of them wait.
 *
 * @param firstWaiting reads which event waits first; asked where the machine knows nothing of the subject yet.
 *
 * @throws PortariaError `machine-conflict` when the state kept changing meanwhile.
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
      if (attempt === TRIES || !PortariaError.is(error, 'machine-conflict')) throw error;
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
