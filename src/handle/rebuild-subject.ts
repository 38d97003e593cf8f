import type { Subject } from '../event/subject.ts';
import type { Clock } from '../kernel/clock.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { JsonValue } from '../kernel/json.ts';
import type { MachineStates } from '../store/machine-states.ts';
import { highestVersion } from './highest-version.ts';
import { fold } from './fold.ts';
import type { Folded } from './fold.ts';
import type { Machine } from './machine.ts';
import { inVersionOrder } from './version-order.ts';
import { wantsEvent } from './wants-event.ts';
import { eventNumber } from './event-number.ts';

export interface Rebuilt {
  /** Null when there was no state yet. */
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** How many events were folded. */
  readonly events: number;
  readonly anomalies: Folded['anomalies'];
}

/** How often the state may change under a rebuild before it is given up: a busy subject, not a loop. */
const TRIES = 5;

/**
 * Folds a subject's stored events anew and stores the state. No effect runs.
 * Events that wait in their lane for the machine are left to it. Returns null
 * when no stored event of the subject is for the machine.
 *
 * @throws PortariaError `machine-conflict` when the state kept changing meanwhile.
 */
export async function rebuildSubject(
  machine: Machine,
  source: string,
  subject: Subject,
  states: Pick<MachineStates, 'machineState' | 'subjectEvents' | 'commitMachine'>,
  clock: Pick<Clock, 'now'>,
): Promise<Rebuilt | null> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rebuildOnce(machine, source, subject, states, clock);
    } catch (error) {
      if (attempt === TRIES || !PortariaError.is(error, 'machine-conflict')) throw error;
    }
  }
}

async function rebuildOnce(
  machine: Machine,
  source: string,
  subject: Subject,
  states: Pick<MachineStates, 'machineState' | 'subjectEvents' | 'commitMachine'>,
  clock: Pick<Clock, 'now'>,
): Promise<Rebuilt | null> {
  const known = await states.machineState(machine.name, source, subject);
  const stored = await states.subjectEvents(source, subject, known?.lastEventId);
  const history = inVersionOrder(stored.filter((event) => wantsEvent(machine, event)));
  if (history.length === 0) return null;
  const folded = fold(machine, history);
  const arrived = history.map(({ id }) => id).sort((one, other) => eventNumber(one) - eventNumber(other));
  await states.commitMachine(
    source,
    subject,
    {
      machine: machine.name,
      state: folded.state,
      version: highestVersion(history),
      lastEventId: known?.lastEventId ?? (arrived.at(-1) as string),
      revision: known?.revision ?? 0,
      anomalies: folded.anomalies,
      refolded: true,
      effects: [],
    },
    clock.now(),
  );
  return {
    before: known?.state ?? null,
    after: folded.state,
    events: history.length,
    anomalies: folded.anomalies,
  };
}
