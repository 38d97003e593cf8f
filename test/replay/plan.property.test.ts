/** The counts of a replay's plan, compared with counting one by one. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { subjectName } from '../../src/event/subject.ts';
import type { EventRecord } from '../../src/event/stored-event.ts';
import { createRegistry } from '../../src/handle/load/registry.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { defineMachine } from '../../src/handle/define/machine.ts';
import type { CallRules } from '../../src/jobs/replay/choose-calls.ts';
import { planReplay } from '../../src/jobs/replay/replay-plan.ts';
import type { ClaimedDelivery, DeliveryEnd } from '../../src/store/lane-queue.ts';
import type { DeliveryRecord } from '../../src/store/queries.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { sampleEvent } from '../conformance/sample-event.ts';
import { eventNumber } from '../../src/handle/fold/event-number.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { createReplay } from '../support/replay-job.ts';

const registry = createRegistry([
  defineHandler({ name: 'all', on: '*', stale: true, handle: () => undefined }),
  defineHandler({ name: 'fresh', on: '*', handle: () => undefined }),
  defineHandler({ name: 'updates', on: 'company.updated', handle: () => undefined }),
  defineMachine({
    name: 'ledger',
    on: 'company.*',
    initial: {},
    evolve: (state) => state,
    effects: { onOne: { when: () => true, run: () => undefined } },
  }),
]);
const names = registry.definitions.map(({ name }) => name);

/** What happens to a delivery; what is left over stays pending. */
const fates = fc.infiniteStream(
  fc.constantFrom('succeeded', 'succeeded', 'succeeded', 'succeeded', 'dead', 'skipped', 'left' as const),
);
const effects = fc.subarray(['onOne', 'onOther']);

const arrivals = fc.array(
  fc.record({
    kind: fc.constantFrom('company.created', 'company.updated', 'never.heard.of'),
    subject: fc.nat(2),
    version: fc.option(fc.nat(5).map(String)),
    effects,
  }),
  { maxLength: 12 },
);

const requests = fc.record({
  handlers: fc.shuffledSubarray(names),
  ifNotSucceeded: fc.boolean(),
  filter: fc.oneof(
    fc.constant({}),
    fc.constant({}),
    fc.record({ upTo: fc.nat(14).map(String) }),
    fc.record({ status: fc.constantFrom('pending', 'succeeded', 'dead', 'skipped' as const) }),
    fc.record(
      {
        kinds: fc.subarray(['company.*', 'never.*', 'company.created'], { minLength: 1 }),
        verdict: fc.constantFrom('new' as const, 'stale' as const),
        subject: fc.constant({ family: 'company', id: '1' }),
        upTo: fc.nat(14).map(String),
        status: fc.constantFrom('succeeded', 'dead' as const),
      },
      { requiredKeys: [] },
    ),
  ),
});

test('what SQL counts is what counting event by event, delivery by delivery, comes to', async () => {
  await fc.assert(
    fc.asyncProperty(arrivals, fates, fc.boolean(), requests, async (...drawn) => {
      const [events, fate, again, planned] = drawn;
      const store = await openSqliteStore({ path: ':memory:', role: 'owner', clock });
      try {
        const ids: string[] = [];
        for (const [at, { kind, subject, version }] of events.entries()) {
          const recognized = kind.startsWith('company.');
          const name = `${recognized ? 'company' : 'never'}:${String(subject)}`;
          const event = sampleEvent({ kind, recognized, subject: name, content: String(at), version });
          const stored = await store.accept(event, registry.routesFor({ kind, recognized }));
          if (stored.status === 'stored') ids.push(stored.id);
        }
        const wanted = new Map(ids.map((id, at) => [id, events[at]?.effects ?? []]));
        await runAll(store, fate, wanted);
        if (again) {
          await replayFirst(store, ids);
          await runAll(store, fate, wanted);
        }

        const plan = await planReplay({ store, registry }, planned);
        const handlers = plan.handlers.map(({ firstOvertaken, older: _older, ...each }) => ({
          ...each,
          hasFirst: firstOvertaken !== null,
        }));
        expect({ ...plan, handlers }).toEqual(await planByRows(store, planned));
      } finally {
        await store.close();
      }
    }),
    { numRuns: propertyRuns(100) },
  );
});

const clock = manualClock();

/** Ends what is due as its fate will have it; folds bring about effects. */
async function runAll(
  store: Store,
  fate: fc.Stream<'succeeded' | 'dead' | 'skipped' | 'left'>,
  effectsOf: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const now = clock.now();
  for (;;) {
    const { deliveries } = await store.claim({ now, limit: 1, handlers: registry.deliveryNames });
    const [delivery] = deliveries;
    const [status = 'left'] = fate.take(1);
    if (delivery === undefined) return;
    if (status === 'left') {
      // For the rest of the test its lane waits.
      await store.reschedule(delivery, { now, dueAt: now + 60_000, reason: 'x' });
      continue;
    }
    const end: DeliveryEnd =
      status === 'succeeded'
        ? { status, ...(await foldOf(store, delivery, effectsOf)) }
        : { status, reason: 'x' };
    await store.complete(delivery, end, { now, next: false });
  }
}

async function foldOf(
  store: Store,
  { handler, event }: ClaimedDelivery,
  effectsOf: ReadonlyMap<string, readonly string[]>,
) {
  if (handler !== 'ledger') return {};
  const known = await store.machineState('ledger', event.source, event.subject);
  return {
    machine: {
      machine: 'ledger',
      state: {},
      version: null,
      lastEventId: event.id,
      revision: known?.revision ?? 0,
      anomalies: [],
      refolded: false,
      effects: (effectsOf.get(event.id) ?? []).map((name) => ({
        eventId: event.id,
        name,
        change: { before: {}, after: {} },
        late: false,
      })),
    },
  };
}

/** The first half of the events goes to everybody again. */
async function replayFirst(store: Store, ids: readonly string[]): Promise<void> {
  const { id } = await createReplay(store, { handlers: names }, clock.now());
  const half = ids.slice(0, Math.ceil(ids.length / 2));
  const deliveries = [];
  for (const eventId of half) {
    const event = await store.event(eventId);
    const events = [eventNumber(eventId)];
    if (event !== null) for (const route of registry.routesFor(event)) deliveries.push({ route, events });
  }
  await store.enqueueReplay(id, deliveries, { cursor: half.at(-1) ?? '', now: clock.now() });
}

/** The plan by its definition: every event and every delivery is looked at. */
async function planByRows(store: Store, request: CallRules) {
  const page = { order: 'oldest', limit: 1000 } as const;
  const events = await store.events(request.filter, page);
  const rows = request.handlers.flatMap((handler) =>
    handler === 'ledger' ? [handler, 'ledger/effects'] : [handler],
  );
  const plans = new Map(
    rows.map((handler) => [handler, { handler, calls: 0, alreadySucceeded: 0, stale: 0, overtaken: 0 }]),
  );
  const add = (
    handler: string,
    what: 'calls' | 'alreadySucceeded' | 'stale' | 'overtaken',
    count: number,
  ) => {
    const plan = plans.get(handler);
    if (plan !== undefined) plan[what] += count;
  };
  const everything = await store.events({}, page);
  const everyDelivery = await store.deliveries({}, page);
  // What waits or runs is before what a replay stores.
  const before = everyDelivery.filter(({ status }) => ['succeeded', 'running', 'pending'].includes(status));
  const runsAgain = (other: EventRecord, handler: string) =>
    events.some(({ id }) => id === other.id) &&
    isChosen(
      handler,
      everyDelivery.filter(({ eventId }) => eventId === other.id),
      request,
    );
  let eventsCalled = 0;
  for (const event of events) {
    const deliveries = await store.deliveries({ eventId: event.id }, page);
    const called = registry
      .routesFor(event)
      .filter(({ handler }) => request.handlers.includes(handler) && isChosen(handler, deliveries, request))
      .filter((route) => {
        const isDone = deliveries.some(
          ({ handler, status }) => handler === route.handler && status === 'succeeded',
        );
        const stale = isStale(event) && !route.stale;
        add(route.handler, 'stale', Number(stale));
        if (stale) return false;
        if (isDone && request.ifNotSucceeded) {
          add(route.handler, 'alreadySucceeded', 1);
          return false;
        }
        const overtaken =
          !route.stale &&
          request.includeOvertaken !== true &&
          everything.some(
            (other) =>
              isLater(other, event) &&
              (request.ifNotSucceeded || !runsAgain(other, route.handler) || isBefore(other, event)) &&
              before.some(({ eventId, handler }) => eventId === other.id && handler === route.handler),
          );
        add(route.handler, 'overtaken', Number(overtaken));
        add(route.handler, 'alreadySucceeded', Number(isDone && !overtaken));
        return !overtaken;
      });
    for (const { handler } of called) add(handler, 'calls', 1);
    eventsCalled += Number(called.length > 0);
    if (!called.some(({ handler }) => handler === 'ledger')) continue;
    const brought = deliveries.filter(({ effect }) => effect !== null);
    const ended = brought.filter(({ status }) => status === 'succeeded');
    add('ledger/effects', 'calls', new Set(brought.map(({ effect }) => effect)).size);
    add('ledger/effects', 'alreadySucceeded', new Set(ended.map(({ effect }) => effect)).size);
  }
  const subjects = new Set(events.map(({ source, subject }) => `${source} ${subject.family} ${subject.id}`));
  const handlers = [...plans.values()].map((each) => ({ ...each, hasFirst: each.overtaken > 0 }));
  const unrecognized = events.filter(
    (event) => !event.recognized && routesOf({ ...event, recognized: true }).length > routesOf(event).length,
  ).length;
  return { events: events.length, eventsCalled, subjects: subjects.size, pruned: 0, unrecognized, handlers };

  function routesOf(event: { readonly kind: string; readonly recognized: boolean }) {
    return registry.routesFor(event).filter(({ handler }) => request.handlers.includes(handler));
  }
}

/** A replay takes events in the order of their numbers. */
function isBefore(other: EventRecord, event: EventRecord): boolean {
  return eventNumber(other.id) < eventNumber(event.id);
}

function isLater(other: EventRecord, event: EventRecord): boolean {
  if (other.source !== event.source || subjectName(other.subject) !== subjectName(event.subject))
    return false;
  if (other.version !== null && event.version !== null && other.version !== event.version)
    return other.version > event.version;
  // All arrive at the same time here.
  return eventNumber(other.id) > eventNumber(event.id);
}

function isStale({ verdict }: EventRecord): boolean {
  return verdict === 'stale';
}

function isChosen(name: string, deliveries: readonly DeliveryRecord[], { filter }: CallRules): boolean {
  return (
    filter.status === undefined ||
    deliveries.some(
      ({ handler, status }) =>
        (handler === name || handler === `${name}/effects`) && status === filter.status,
    )
  );
}
