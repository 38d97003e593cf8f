/** Rebuilds the states of machines from stored events. */
import { subjectName, type Subject } from '../../event/subject.ts';
import { eventNumber } from '../../handle/fold/event-number.ts';
import { type Machine, recognizedKinds } from '../../handle/define/machine.ts';
import { rebuildSubject } from '../../handle/fold/rebuild-subject.ts';
import type { Registry } from '../../handle/load/registry.ts';
import { canonicalJson } from '../../kernel/json/canonical-json.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { suggest } from '../../kernel/text/suggest.ts';
import type { MachineStates } from '../../store/machine-states.ts';
import type { Queries } from '../../store/queries.ts';
import type { RebuildView } from '../../view/operation-views.ts';

export interface RebuildDeps {
  readonly store: Pick<Queries, 'deliveries'> &
    Pick<
      MachineStates,
      | 'subjectsWithKinds'
      | 'sourcesOf'
      | 'machineState'
      | 'machineBase'
      | 'anomalies'
      | 'versionOrder'
      | 'storedEvents'
      | 'commitMachine'
    >;
  readonly registry: Pick<Registry, 'definitions'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface RebuildRequest {
  /** All machines by default. */
  readonly machine?: string;
  readonly subject?: Subject;
  readonly source?: string;
  /** Report what would change, without changes. */
  readonly dryRun: boolean;
}

/**
 * Folds stored events again, subject by subject, and reports each. No effect
 * runs. A subject that keeps changing is reported as failed and keeps its state.
 *
 * @throws PortariaError `not-found` when there is no such machine, and the store's errors
 */
export async function* rebuildMachines(
  deps: RebuildDeps,
  request: RebuildRequest,
): AsyncGenerator<RebuildView, void, undefined> {
  for (const machine of selectMachines(deps.registry, request.machine))
    for await (const { source, subject } of subjectsOf(machine, deps.store, request)) {
      const report = await rebuild(machine, source, subject, deps, request.dryRun);
      if (report !== null) yield report;
    }
}

function selectMachines(
  { definitions }: RebuildDeps['registry'],
  name: string | undefined,
): readonly Machine[] {
  const machines = definitions.filter((definition) => definition.type === 'machine');
  if (name === undefined) return machines;
  const named = machines.filter((machine) => machine.name === name);
  if (named.length > 0) return named;
  const meant = suggest(
    name,
    machines.map((machine) => machine.name),
  );
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw new PortariaError('not-found', `There is no machine ${name}${hint}`);
}

interface SourceSubject {
  readonly source: string;
  readonly subject: Subject;
}

async function* subjectsOf(
  machine: Machine,
  store: RebuildDeps['store'],
  { subject, source }: RebuildRequest,
): AsyncGenerator<SourceSubject> {
  const all = subject === undefined ? subjectsWithEvents(machine, store) : sourcesOfSubject(subject, store);
  for await (const each of all) if (source === undefined || each.source === source) yield each;
}

async function* subjectsWithEvents(
  machine: Machine,
  store: Pick<MachineStates, 'subjectsWithKinds'>,
): AsyncGenerator<SourceSubject> {
  const kinds = recognizedKinds(machine);
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<MachineStates['subjectsWithKinds']>> = await store.subjectsWithKinds(
      kinds,
      {
        limit: 500,
        ...(cursor !== null && { cursor }),
      },
    );
    yield* page.subjects;
    cursor = page.cursor;
  } while (cursor !== null);
}

async function* sourcesOfSubject(
  subject: Subject,
  store: Pick<MachineStates, 'sourcesOf'>,
): AsyncGenerator<SourceSubject> {
  for (const source of await store.sourcesOf(subject)) yield { source, subject };
}

async function rebuild(
  machine: Machine,
  source: string,
  subject: Subject,
  { store, clock }: RebuildDeps,
  dryRun: boolean,
): Promise<RebuildView | null> {
  const report = {
    machine: machine.name,
    source,
    subject: subjectName(subject),
    events: 0,
    anomalies: 0,
    message: null,
  };
  try {
    const states = dryRun ? withoutCommits(store) : store;
    const rebuilt = await rebuildSubject(machine, source, subject, states, clock, () =>
      firstUnfolded(machine, source, subject, store),
    );
    if (rebuilt === null) return null;
    if (rebuilt.from === 'none') return { ...report, outcome: 'kept', message: keptMessage };
    const changed = canonicalJson(rebuilt.before) !== canonicalJson(rebuilt.after);
    return {
      ...report,
      outcome: changed ? 'changed' : 'unchanged',
      events: rebuilt.events,
      anomalies: rebuilt.anomalies.length,
      message: rebuilt.from === 'after-base' ? baseMessage : null,
    };
  } catch (error) {
    if (!PortariaError.is(error, 'machine-conflict')) throw error;
    return { ...report, outcome: 'failed', message: 'its state kept changing; try again' };
  }
}

/** A dry run folds as a rebuild does, so that both report the same subjects. */
function withoutCommits(store: RebuildDeps['store']): RebuildDeps['store'] {
  return {
    deliveries: (...parameters) => store.deliveries(...parameters),
    subjectsWithKinds: (...parameters) => store.subjectsWithKinds(...parameters),
    sourcesOf: (...parameters) => store.sourcesOf(...parameters),
    machineState: (...parameters) => store.machineState(...parameters),
    machineBase: (...parameters) => store.machineBase(...parameters),
    anomalies: (...parameters) => store.anomalies(...parameters),
    versionOrder: (...parameters) => store.versionOrder(...parameters),
    storedEvents: (...parameters) => store.storedEvents(...parameters),
    commitMachine: () => Promise.resolve(),
  };
}

const baseMessage =
  'folded from the state that pruned events left: a change of the machine does not reach them';
const keptMessage = 'its events are pruned and the state that they left is not known; the state is kept';

/** The first event that the machine has not folded, or is folding. */
async function firstUnfolded(
  { name: handler }: Machine,
  source: string,
  subject: Subject,
  store: Pick<Queries, 'deliveries'>,
): Promise<string | undefined> {
  const open = await Promise.all(
    (['pending', 'running'] as const).map((status) =>
      store.deliveries({ handler, source, subject, status }, { order: 'oldest', limit: 1 }),
    ),
  );
  return open
    .flat()
    .map(({ eventId }) => eventId)
    .toSorted((one, other) => eventNumber(one) - eventNumber(other))[0];
}
