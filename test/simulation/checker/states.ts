/** States of machines: a fold of the events in version order, with what follows from it. */
import {
  anomalyOf,
  effects,
  emptyLedger,
  foldedContent,
  ledgerAfter,
  type Ledger,
} from '../actors/handlers.ts';
import { EFFECTS, MACHINE } from '../actors/names.ts';
import type { World } from '../world/world.ts';
import type { KnownEvent } from './identity.ts';
import { violated } from './violation.ts';

/** Pruned events, with how many events were there at a look before. */
export type Pruned = Pick<WeakMap<KnownEvent, number>, 'has' | 'get'>;
type History = readonly KnownEvent[];

interface Folded {
  readonly state: Ledger;
  readonly effects: readonly (readonly [KnownEvent, string])[];
  /** Numbers of events with an anomaly. */
  readonly anomalies: readonly number[];
}

function foldOf(history: readonly KnownEvent[]): Folded {
  let state = emptyLedger;
  const called: [KnownEvent, string][] = [];
  const anomalies: number[] = [];
  for (const event of history) {
    const { content, status } = foldedContent((JSON.parse(event.sent.body) as { data: object }).data);
    const before = state;
    state = ledgerAfter(before, content, status);
    for (const [name, when] of Object.entries(effects)) if (when(before, state)) called.push([event, name]);
    if (anomalyOf(before, state) !== null) anomalies.push(event.number);
  }
  return { state, effects: called, anomalies };
}

export function lookAtStates(world: World, isAll: boolean, pruned: Pruned): void {
  const { identity, deliveries, rows } = world;
  const subjects = isAll ? identity.subjects.keys() : identity.changed.subjects;
  const states = new Map(rows.states().map((row) => [`${row.source} ${row.subject}`, row.state]));
  const details = readDetails(world);
  for (const subject of subjects) {
    const history = identity.history(subject);
    const wasPruned = history.some((event) => pruned.has(event));
    if (wasPruned && (!isAll || !isFoldable(world, subject, history, pruned))) continue;
    if (!history.every((event) => isFolded(world, event))) continue;
    identity.changed.subjects.delete(subject);
    const { state, effects: called, anomalies } = foldOf(history);
    const stored = states.get(subject);
    const kept = stored === undefined ? null : (JSON.parse(stored) as Ledger);
    if (kept?.chain !== state.chain || kept.events !== state.events || kept.status !== state.status)
      throw violated(
        'fold',
        `the state of ${subject} is ${stored ?? 'missing'}, expected ${JSON.stringify(state)}`,
      );
    requireDetails(details?.get(subject), subject, history, { anomalies, wasPruned });
    const ids = new Map<KnownEvent, number>();
    for (const [event, name] of called) {
      const effect = deliveries.of(event, EFFECTS, name);
      if (effect === undefined)
        throw violated('fold', `the effect ${name} of event ${event.number} is missing`);
      const id = Number(effect.id?.slice(1) ?? 0);
      if (id < (ids.get(event) ?? 0))
        throw violated('fold', `the effects of event ${event.number} are not in their order`);
      ids.set(event, id);
    }
  }
}

/** Whether nothing has come since that belongs before what was pruned. Where it is so, the state has a base. */
function isFoldable({ rows, missed }: World, subject: string, history: History, pruned: Pruned): boolean {
  if (missed.has(MACHINE) || !cameBefore(history, pruned)) return false;
  const bases = rows.select?.<{ through: number }>(
    `select through_event as through from machine_bases join subjects on subjects.id = subject_id
    where machine = '${MACHINE}' and source || ' ' || family || ':' || entity = ?`,
    subject,
  );
  if (bases?.length === 0) throw violated('fold', `${subject} was pruned, and its state has no base`);
  return true;
}

/** Whether all events up to the last pruned one had come before the first one was pruned. */
function cameBefore(history: History, pruned: Pruned): boolean {
  const last = history.findLastIndex((event) => pruned.has(event));
  const before = history.slice(0, last + 1);
  const first = Math.min(...before.map((event) => pruned.get(event) ?? Infinity));
  return before.every(({ number, sent }) => number <= first && sent.entry === undefined);
}

function isFolded({ deliveries }: World, event: KnownEvent): boolean {
  const fold = deliveries.of(event, MACHINE);
  if (event.resolution === 'superseded') return true;
  return fold !== undefined && [...fold.allowed].join('') === 'succeeded';
}

interface Details {
  readonly subject: string;
  readonly version: string | null;
  readonly lastEvent: number;
  readonly anomalies: number;
  /** Without events that a replay could not fold, because later ones are pruned. */
  readonly anomalous: string | null;
}

function readDetails({ rows }: World): ReadonlyMap<string, Details> | undefined {
  const found = rows.select?.<Details>(`
    select source || ' ' || family || ':' || entity as subject, version, last_event as "lastEvent", anomalies,
      (select group_concat(event_id) from anomalies where anomalies.subject_id = machine_states.subject_id
        and anomalies.machine = machine_states.machine and message not like 'not folded:%') as anomalous
    from machine_states join subjects on subjects.id = subject_id where machine = '${MACHINE}'`);
  return found && new Map(found.map((row) => [row.subject, row]));
}

function requireDetails(
  found: Details | undefined,
  subject: string,
  history: readonly KnownEvent[],
  { anomalies, wasPruned }: { readonly anomalies: readonly number[]; readonly wasPruned: boolean },
): void {
  if (found === undefined) return;
  const last = Math.max(...history.map(({ number }) => number));
  if (found.lastEvent !== last)
    throw violated(
      'fold',
      `the state of ${subject} has event ${found.lastEvent} as its last, expected ${last}`,
    );
  // Without the fractions, which the store writes in full.
  const versions = history.map(({ sent }) => sent.version?.slice(0, 19) ?? '');
  const version = versions.reduce((one, other) => (one > other ? one : other), '');
  if ((found.version?.slice(0, 19) ?? '') !== version)
    throw violated(
      'fold',
      `the state of ${subject} is of version ${found.version ?? ''}, expected ${version}`,
    );
  const kept = (found.anomalous?.split(',') ?? []).map(Number).toSorted((one, other) => one - other);
  const expected = anomalies.toSorted((one, other) => one - other);
  if (kept.join() !== expected.join() || (!wasPruned && found.anomalies !== expected.length))
    throw violated(
      'fold',
      `${subject} has anomalies of ${kept.join()} (${found.anomalies}), expected ${expected.join()}`,
    );
}

/** What is left of pruned events: the state from which the others are folded. */
export function lookAtBases(world: World, pruned: Pruned): void {
  const { identity, rows } = world;
  const bases = rows.select?.<{ subject: string; state: string; through: number }>(`
    select source || ' ' || family || ':' || entity as subject, state, through_event as through
    from machine_bases join subjects on subjects.id = subject_id where machine = '${MACHINE}'`);
  for (const { subject, state, through } of bases ?? []) {
    const history = identity.history(subject);
    const before = history.slice(0, history.findIndex(({ number }) => number === through) + 1);
    if (!cameBefore(before, pruned) || !before.every((event) => isFolded(world, event))) continue;
    const expected = foldOf(before).state;
    if ((JSON.parse(state) as Ledger).chain !== expected.chain)
      throw violated('fold', `the base of ${subject} is ${state}, expected ${JSON.stringify(expected)}`);
  }
}
