/** Runs handlers over stored events: each event once, in the order in which they came. */
import { createHash } from 'node:crypto';
import { classify, policiesOf } from '../dispatch/attempt/classify.ts';
import { createPerform } from '../dispatch/attempt/perform.ts';
import { createTimeLimit } from '../dispatch/attempt/time-limit.ts';
import { subjectName } from '../event/subject.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import { effectsName, type Machine } from '../handle/define/machine.ts';
import { rebuildSubject } from '../handle/fold/rebuild-subject.ts';
import type { Registry } from '../handle/load/registry.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { seededRandom } from '../kernel/random.ts';
import { eachPage } from '../kernel/row-pages.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { ClaimedDelivery, MachineCommit } from '../store/lane-queue.ts';
import type { MachineState } from '../store/machine-states.ts';
import type { Store } from '../store/store.ts';
import { scope, type Run } from './event-time.ts';
import type { ApartRehearsal, Said } from './protocol.ts';

interface RehearsalDeps {
  readonly store: Store;
  readonly registry: Registry;
  readonly client: Parameters<typeof createPerform>[0]['client'];
  readonly clock: Clock;
  readonly say: (said: Said) => void;
}

/** Events that are read at a time. */
const BATCH = 100;
/** The error of Node, with the flag that it advises: nobody can set one here. */
const RESTRICTED = /Access to this API has been restricted\.(?: Use --\S+ to manage permissions\.)?/u;
const REMEDY = 'a rehearsal writes no file and starts no process';
const WORDS = { succeeded: 'succeeds', skipped: 'skips', retry: 'fails', dead: 'fails' } as const;
const log: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
const never = new AbortController().signal;

/** Returns how many chosen events have a body, and how many have none. */
export async function rehearseEvents(
  { store, registry, client, clock, say }: RehearsalDeps,
  { filter, sample, first, without = [] }: ApartRehearsal,
): Promise<{ readonly events: number; readonly pruned: number }> {
  /** As the rehearsed events leave them; the first event of a subject folds those before it. */
  const states = new Map<string, MachineState>();
  const touched = new Map<string, { readonly machine: Machine; readonly event: StoredEvent }>();
  let current: StoredEvent | undefined;
  const reads = Object.assign(Object.create(store) as Store, {
    async machineState(...[machine, source, subject]: Parameters<Store['machineState']>) {
      const known = states.get(stateKey(machine, source, subjectName(subject)));
      if (known !== undefined) return known;
      const base = await store.machineBase(machine, source, subject);
      if (base === null || current === undefined) return null;
      const unfolded = { version: null, lastEventId: current.id, revision: 0, updatedAt: 0, anomalies: 0 };
      return { machine, source, subject, state: base.state, ...unfolded };
    },
  });
  const { runWithin } = createTimeLimit({ clock, shutdown: never });
  const perform = createPerform({ store: reads, runWithin, log, client, shutdown: never });

  async function run(
    event: StoredEvent,
    name: string,
    effect: ClaimedDelivery['effect'] = null,
  ): Promise<void> {
    const runnable = registry.runnable(name);
    if (runnable === undefined) return;
    const definition = runnable.type === 'handler' ? runnable.handler : runnable.machine;
    const handler = effect === null ? name : `${definition.name}/${effect.name}`;
    const result = { event: event.id, handler, reason: null, requests: [], effects: [] };
    const needsTransaction = runnable.type !== 'fold' && definition.transaction !== undefined;
    const because = without.includes(name) ? 'it ended the process before' : 'it needs a transaction';
    if (without.includes(name) || needsTransaction)
      return say({ run: { ...result, outcome: 'not rehearsed', reason: because } });

    say({ begins: { event: event.id, handler, name, timeoutMs: definition.timeoutMs } });
    const requests: Run['requests'] = [];
    const own = runOf(event, handler, requests);
    const common = { id: 'd0', lane: '', holder: 0, start: 0, attempt: 1, replay: null, traceparent: null };
    const { end, machine } = await scope.run(own, () =>
      Promise.resolve(perform({ ...common, handler: name, effect, event }, runnable)),
    );
    const outcome = classify(end, 1, policiesOf(runnable).retry, () => 0);
    if (outcome.status === 'released') throw new PortariaError('store-failed', outcome.reason);
    const reason = outcome.status === 'succeeded' ? null : outcome.reason.replace(RESTRICTED, REMEDY);
    const effects = machine?.effects.map((each) => each.name) ?? [];
    say({ run: { ...result, outcome: WORDS[outcome.status], reason, requests, effects } });
    if (machine !== undefined && definition.type === 'machine') await keep(event, definition, machine);
  }

  async function keep(event: StoredEvent, machine: Machine, commit: MachineCommit): Promise<void> {
    const { source, subject } = event;
    const key = stateKey(machine.name, source, subjectName(subject));
    const { state, version, lastEventId, revision } = commit;
    states.set(key, {
      ...{ machine: machine.name, source, subject, state, version, lastEventId },
      ...{ revision: revision + 1, updatedAt: 0, anomalies: 0 },
    });
    for (const effect of commit.effects) {
      const [of = event] = await store.storedEvents([effect.eventId]);
      await run(of, effectsName(machine.name), effect);
    }
  }

  /** A subject whose state is compared at the end. */
  function touch(event: StoredEvent, name: string): void {
    const runnable = registry.runnable(name);
    if (runnable?.type !== 'fold' || without.includes(name)) return;
    const { machine } = runnable;
    touched.set(stateKey(name, event.source, subjectName(event.subject)), { machine, event });
  }

  const ids = await chosen(store, filter, sample);
  /** Those that ran before a handler ended the process. */
  const done = new Set(first === undefined ? [] : ids.slice(0, Math.max(0, ids.indexOf(first))));
  let count = 0;
  for (let at = 0; at < ids.length; at += BATCH) {
    say({ works: true });
    for (const event of await store.storedEvents(ids.slice(at, at + BATCH))) {
      count += 1;
      current = event;
      for (const { handler, stale } of registry.routesFor(event, event.source)) {
        touch(event, handler);
        if (!done.has(event.id) && (stale || event.verdict !== 'stale')) await run(event, handler);
      }
    }
  }
  const uncommitted = Object.assign(Object.create(store) as Store, {
    commitMachine: () => Promise.resolve(),
  });
  for (const { machine, event } of touched.values()) {
    const { name, timeoutMs } = machine;
    say({ begins: { event: event.id, handler: name, name, timeoutMs } });
    const { source, subject } = event;
    const rebuilt = await scope.run(runOf(event, name, []), () =>
      rebuildSubject(machine, source, subject, uncommitted, clock),
    );
    if (rebuilt === null) continue;
    const { before, after } = rebuilt;
    const key = `${source} ${subjectName(subject)}`;
    say({ state: { event: event.id, handler: name, subject: key, before, after } });
  }
  return { events: count, pruned: ids.length - count };
}

/** The ids of the chosen events, oldest first; of a sample, evenly spread. */
async function chosen(
  store: Store,
  filter: ApartRehearsal['filter'],
  sample: number | null,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const rows of eachPage((page) => store.events(filter, { order: 'oldest', ...page })))
    ids.push(...rows.map(({ id }) => id));
  if (sample === null || sample >= ids.length) return ids;
  return Array.from({ length: sample }, (_, at) => ids[Math.floor((at * ids.length) / sample)] ?? '');
}

function runOf({ id, receivedAt }: StoredEvent, handler: string, requests: Run['requests']): Run {
  const seed = createHash('sha256').update(`${id}/${handler}`).digest().readUInt32LE();
  return { now: receivedAt, random: seededRandom(seed), requests };
}

function stateKey(machine: string, source: string, subject: string): string {
  return `${machine} ${source} ${subject}`;
}
