/** What operators do, through the use cases of the command line and the private port. */
import { PortariaError } from '../../../src/kernel/errors.ts';
import { discardDeliveries, retryDeliveries } from '../../../src/operate/change/change-deliveries.ts';
import { pauseDispatch, resumeDispatch } from '../../../src/operate/change/pause-dispatch.ts';
import { prune } from '../../../src/operate/change/prune.ts';
import { rebuildMachines } from '../../../src/operate/change/rebuild-machines.ts';
import { erasePerson } from '../../../src/privacy/erase-person.ts';
import { endHold, placeHold } from '../../../src/privacy/holds.ts';
import { parseIdentifier } from '../../../src/privacy/identifier.ts';
import { relatedIdentifiers } from '../../../src/privacy/related-identifiers.ts';
import { lookAtEvents } from '../checker/look.ts';
import type { DeliveryRow } from '../checker/rows.ts';
import { violated } from '../checker/violation.ts';
import { SUBJECTS, type Step } from '../story.ts';
import type { Receiver } from '../world/receiver.ts';
import { KEEP_MS } from '../world/settings.ts';
import type { World } from '../world/world.ts';
import { emailOf } from './senders.ts';
import { handlerNames } from './names.ts';

type StepOf<Do extends Step['do']> = Extract<Step, { readonly do: Do }>;

/** Waits for an operation; null when it failed in a way that the simulation may have caused. */
export async function awaited<T>(world: World, what: string, operation: Promise<T>): Promise<T | null> {
  world.commands += 1;
  const ended = await world.time.until(operation);
  if (ended !== null && 'value' in ended) {
    world.reach(what);
    return ended.value;
  }
  const error = ended?.error;
  // Without the message, which names the file.
  const how = PortariaError.is(error) ? error.code : ended === null ? 'no answer' : 'failed';
  world.note(`${what}: ${how}`);
  world.reach(`${what}: ${how}`);
  if (ended === null && !world.time.isFrozen) throw violated('answered', `${what} never ended`);
  if (ended !== null && !PortariaError.is(error))
    throw violated(
      'no error',
      `${what} failed: ${error instanceof Error ? String(error.stack) : String(error)}`,
    );
  return null;
}

function chosen(rows: readonly DeliveryRow[], which: number, many: number): readonly string[] {
  const from = rows.length === 0 ? 0 : which % rows.length;
  return rows.slice(from, from + many).map(({ id }) => id);
}

/** Another process beside `serve`, on the same database. */
export async function beside<T>(world: World, work: (store: Receiver['store']) => Promise<T>): Promise<T> {
  const store = await world.database.openGuest(world.time);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** By the process itself, or by another one beside it. */
export function maybeBeside<T>(
  world: World,
  { store }: Receiver,
  { what, beside: isBeside }: { readonly what: string; readonly beside: boolean },
  work: (store: Receiver['store']) => Promise<T>,
): Promise<T | null> {
  return isBeside ? awaited(world, `${what} beside`, beside(world, work)) : awaited(world, what, work(store));
}

/** Lanes in which a delivery runs, or waits to be tried again. */
function busyLanes({ rows, deliveries }: World): ReadonlySet<string | null | undefined> {
  const busy = rows
    .openDeliveries()
    .filter(({ status, attempts }) => status === 'running' || (status === 'pending' && attempts > 0));
  return new Set(busy.map(({ id }) => deliveries.byId(id)?.lane));
}

export async function changeDeliveries(
  world: World,
  receiver: Receiver,
  step: Extract<Step, { readonly do: 'retry' | 'discard' }>,
): Promise<void> {
  const { time: clock, deliveries } = world;
  const statuses = step.do === 'retry' ? ['dead'] : ['pending', 'dead'];
  const rows = world.rows
    .openDeliveries()
    .filter(({ status }) => statuses.includes(status) || step.which % 5 === 0)
    .filter(({ handler }) => handler !== 'ledger');
  // Every third time one behind which others run, or wait to be tried again.
  const busy = step.do === 'retry' && step.which % 3 === 0 ? busyLanes(world) : new Set();
  const inFront = rows.filter(({ id }) => busy.has(deliveries.byId(id)?.lane ?? ''));
  const ids = chosen(inFront.length > 0 ? inFront : rows, step.which, step.many);
  if (ids.length === 0) return;
  const filter = { ids };
  const before = new Map(
    rows.map((row) => {
      const event = world.identity.events[row.event - 1];
      if (event === undefined) throw violated('acknowledged', `${row.id} is of event ${row.event}`);
      const delivery = deliveries.find(row.id, event, row.handler, row.replay > 0, row.effect);
      if (ids.includes(row.id)) delivery.permits.add(step.do);
      return [row.id, delivery.lastCall] as const;
    }),
  );
  const change = async (store: Receiver['store']): Promise<readonly string[]> => {
    if (step.do === 'retry')
      return (await retryDeliveries(store, { filter, clock, newestOnly: [], dryRun: false })).retried;
    return (await discardDeliveries(store, { filter, clock, by: 'op', why: 'simulated' })).discarded;
  };
  const work = step.beside ? beside(world, change) : change(receiver.store);
  const changed = await awaited(world, `${step.do}${step.beside ? ' beside' : ''}`, work);
  if (changed === null) return;
  for (const id of ids) {
    const delivery = deliveries.byId(id);
    delivery?.permits.delete(step.do);
    if (!changed.includes(id)) continue;
    const call = before.get(id);
    if (delivery !== undefined && call != null && deliveries.isRunning(call) && delivery.lastCall === call)
      throw violated('outcome', `${id} runs, and an operator has changed it`, call);
    // It may have run meanwhile.
    if (step.do === 'retry' && delivery?.lastCall === before.get(id)) deliveries.revived(id);
    if (step.do === 'discard') deliveries.discarded(id);
  }
  receiver.portaria.dispatcher.wake();
}

export async function pause(world: World, receiver: Receiver, step: StepOf<'pause'>): Promise<void> {
  const name = handlerNames[step.handler % handlerNames.length] ?? 'watcher';
  if (!world.handlers.includes(name)) return;
  const source = step.subject % 2 === 0 ? 'default' : 'signed';
  const id = step.subject % SUBJECTS;
  const subject =
    step.subject < SUBJECTS
      ? { family: 'charge', id: String(id + 1) }
      : { family: 'console-user', id: `u${String(id)}` };
  const scopes = [
    { handler: name, source: null, subject: null },
    { handler: null, source, subject: null },
    { handler: name, source, subject: null },
    { handler: name, source: null, subject },
    { handler: name, source, subject },
  ];
  const scope = scopes[step.scope % scopes.length] ?? { handler: name, source: null, subject: null };
  const until = step.ms === null ? null : world.time.now() + step.ms;
  world.pausedAt = Math.max(world.pausedAt, until ?? Infinity);
  const { store, registry, clock, portaria } = receiver;
  const { wake } = portaria.dispatcher;
  const { handler } = scope;
  const named = scope.subject === null ? null : `${scope.subject.family}:${scope.subject.id}`;
  // A pause of the same scope gets another end; if this fails, nobody knows which.
  for (const known of world.deliveries.pauses.values())
    if (known.handler === handler && known.source === scope.source && known.subject === named)
      world.deliveries.pauses.delete(known.id);
  const request = { scope, reason: 'simulated', by: 'op', until, registry, clock };
  const paused = await (step.beside
    ? awaited(
        world,
        'pause beside',
        beside(world, (guest) => pauseDispatch(guest, request)),
      )
    : awaited(world, 'pause', pauseDispatch(store, { ...request, wake })));
  if (paused?.acknowledged_at == null) return;
  world.deliveries.pauses.set(paused.id, {
    id: paused.id,
    handler,
    source: scope.source,
    subject: named,
    ...{ until, ms: step.ms },
    since: world.time.monotonic(),
  });
}

export async function resume(world: World, receiver: Receiver, step: StepOf<'resume'>): Promise<void> {
  const found = await awaited(world, 'list of pauses', receiver.store.pauses());
  const one = found?.[step.which % Math.max(1, found.length)];
  if (one === undefined) return;
  world.deliveries.pauses.delete(one.id);
  const isLast = found?.every(({ id, deadLetter }) => id === one.id || deadLetter !== null) === true;
  if (isLast) world.pausedAt = world.time.now();
  const dead = one.deadLetter === null ? undefined : world.deliveries.byId(one.deadLetter);
  if (dead !== undefined) world.deliveries.letGo(dead);
  const choice = { ids: [one.id] };
  if (step.beside)
    await awaited(
      world,
      'resume beside',
      beside(world, (guest) => resumeDispatch(guest, choice)),
    );
  else
    await awaited(world, 'resume', resumeDispatch(receiver.store, choice, receiver.portaria.dispatcher.wake));
}

export async function hold(
  world: World,
  receiver: Receiver,
  step: Extract<Step, { readonly do: 'hold' | 'free' }>,
): Promise<void> {
  const id = `u${String(step.subject)}`;
  const subject = { family: 'console-user', id };
  if (step.do === 'free') {
    world.held.delete(`console-user:${id}`);
    await awaited(world, 'end of a hold', endHold(receiver.store, subject, 'simulated'));
    return;
  }
  const held = await awaited(
    world,
    'hold',
    placeHold(receiver.store, subject, { reason: 'simulated', by: 'op' }),
  );
  // A process that has died since is looked at once another one has taken stock.
  if (held === null || world.time.isFrozen) return;
  // What is pruned by now went before the hold.
  lookAtEvents(world);
  world.held.add(`console-user:${id}`);
}

export async function erase(world: World, receiver: Receiver, step: StepOf<'erase'>): Promise<void> {
  const { registry, clock } = receiver;
  const { subject } = step;
  const email = emailOf(subject);
  const identifier = parseIdentifier(email);
  // Once nothing names the person, nobody knows whose subject is held.
  const isNamed = world.rows.events().some(({ body }) => body?.includes(email) === true);
  const isHeld = isNamed && world.held.has(`console-user:u${String(subject)}`);
  world.erasures.add(email);
  const { contract } = registry;
  // As an erasure of the command line, without its search of the files.
  const erasing = (store: Receiver['store']): ReturnType<typeof erasePerson> =>
    store.eraseAlone(async (lock) => {
      const identifiers = await relatedIdentifiers(store, [identifier], contract);
      const deps = { store, contract, clock, lock, signal: lock.signal };
      return erasePerson(deps, identifiers, { requestedBy: 'op', reason: 'simulated' });
    });
  const erased = await maybeBeside(world, receiver, { what: 'erasure', ...step }, erasing);
  if (erased === null) return;
  if (isHeld) throw violated('holds', `${email} is held and was erased`);
  if (!erased.complete || erased.held > 0) return;
  const [table] = world.rows.tablesWith(email);
  if (table !== undefined) throw violated('erasure', `${email} is still in ${table}`);
}

/** As the retention of the process, by a command. */
export async function pruneOld(world: World, receiver: Receiver, isBeside: boolean): Promise<void> {
  const { registry, clock } = receiver;
  const machines = registry.definitions.filter((definition) => definition.type === 'machine');
  const before = clock.now() - KEEP_MS;
  const cutoffs = { events: before, quarantine: before, deliveries: before };
  const pruning = (store: Receiver['store']): Promise<unknown> =>
    prune({ store, machines, clock }, cutoffs, { step: () => Promise.resolve(true) });
  await maybeBeside(world, receiver, { what: 'prune', beside: isBeside }, pruning);
}

export async function rebuild(world: World, receiver: Receiver, step: StepOf<'rebuild'>): Promise<void> {
  for (const sent of step.sent) world.send(sent);
  const work = (store: Receiver['store']): Promise<unknown> =>
    Array.fromAsync(rebuildMachines({ ...receiver, store }, { dryRun: false }));
  await awaited(world, 'rebuild', step.beside ? beside(world, work) : work(receiver.store));
}
