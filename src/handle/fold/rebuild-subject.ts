/** Rebuilds the state of one subject. */
import type { Subject } from '../../event/subject.ts';
import { highestVersion } from '../../event/version-order.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import type { MachineStates } from '../../store/machine-states.ts';
import { recognizedKinds, type Machine } from '../define/machine.ts';
import { eventNumber } from './event-number.ts';
import { beginFold, type FoldAnomaly } from './fold.ts';
import { missingAnomaly, startAfterPruned, type BaseReads } from './pruned-history.ts';
import { openHistory } from './subject-history.ts';

/** The result of a rebuild. */
export interface Rebuilt {
  /** Null when the machine had no state for the subject. */
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** The number of folded events. */
  readonly events: number;
  readonly anomalies: readonly FoldAnomaly[];
  /**
   * Which events the fold began with: `all`; those after pruned ones, whose state
   * is stored (`after-base`); those that `remain` of a subject without a state; or
   * `none`, because the state of pruned ones is not known, and was kept.
   */
  readonly from: 'all' | 'after-base' | 'remain' | 'none';
}

type RebuildStates = BaseReads &
  Pick<MachineStates, 'machineState' | 'versionOrder' | 'storedEvents' | 'commitMachine'>;

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
  states: RebuildStates,
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
  states: RebuildStates,
  clock: Pick<Clock, 'now'>,
  firstWaiting: () => Promise<string | undefined>,
): Promise<Rebuilt | null> {
  const known = await states.machineState(machine.name, source, subject);
  const waiting = known === null ? await firstWaiting() : undefined;
  const kinds = recognizedKinds(machine);
  const order = await states.versionOrder({ source, subject, kinds, through: known?.lastEventId });
  const { prunedThrough } = order;
  const start =
    prunedThrough === 0 ? null : await startAfterPruned(machine, { source, subject }, order, states);
  if (known !== null && prunedThrough > 0 && start === null) {
    const { state } = known;
    return { before: state, after: state, events: 0, anomalies: [], from: 'none' };
  }
  const folding = beginFold(machine, start?.state, start?.anomalies);
  let events = 0;
  let missing = 0;
  /** The state at the last pruned event, of a subject that is folded first. */
  let baseState: JsonValue | undefined;
  let version: string | null = start === null ? null : order.version;
  let newest: string | undefined = start === null ? undefined : known?.lastEventId;
  const history = openHistory(order.events, states);
  for (let index = start?.at ?? 0; index < order.events.length; index += 1) {
    const number = order.events[index] ?? 0;
    if (index === prunedThrough && missing > 0) baseState = folding.state;
    if (waiting !== undefined && number >= eventNumber(waiting)) continue;
    const event = await history.at(index);
    if (event === undefined && index >= prunedThrough) throw prunedMeanwhile(machine);
    if (event === undefined) {
      missing += 1;
      continue;
    }
    folding.takeLogged(event);
    events += 1;
    version = highestVersion([{ version }, event]);
    if (newest === undefined || number > eventNumber(newest)) newest = event.id;
  }
  if (newest === undefined) return null;
  if (missing > 0) baseState ??= folding.state;
  const hole = missing === 0 ? [] : [missingAnomaly(order.events[prunedThrough - 1] ?? 0, missing)];
  const anomalies = [...hole, ...folding.anomalies];
  await states.commitMachine(
    source,
    subject,
    {
      machine: machine.name,
      state: folding.state,
      version,
      lastEventId: known?.lastEventId ?? newest,
      revision: known?.revision ?? 0,
      anomalies,
      refolded: true,
      effects: [],
      ...(baseState !== undefined && {
        base: { state: baseState, through: order.events[prunedThrough - 1] ?? 0 },
      }),
    },
    clock.now(),
  );
  return {
    before: known?.state ?? null,
    after: folding.state,
    events,
    anomalies,
    from: start !== null ? 'after-base' : missing > 0 ? 'remain' : 'all',
  };
}

/** A retention run beside the rebuild: it starts over from the base that was stored. */
function prunedMeanwhile({ name }: Machine): PortariaError {
  return new PortariaError(
    'machine-conflict',
    `events of machine ${name} were pruned while they were folded`,
  );
}
