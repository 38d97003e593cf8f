/** Lanes that two processes work on at once. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../../src/store/lane-queue.ts';
import { claimed, HANDLER, openTwoOwners, type Owner, type TwoOwners } from '../kit/two-owners.ts';
import { propertyRuns } from '../../support/property-runs.ts';

type Step =
  | { readonly do: 'accept'; readonly subject: number }
  | { readonly do: 'claim'; readonly limit: number }
  | { readonly do: 'end'; readonly which: number; readonly next: boolean }
  | { readonly do: 'end-all'; readonly next: boolean }
  | { readonly do: 'reschedule'; readonly which: number }
  | { readonly do: 'release'; readonly which: number };

const which = fc.nat({ max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('accept' as const), subject: fc.nat({ max: 2 }) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('claim' as const), limit: fc.nat({ max: 3 }) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('end' as const), which, next: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end-all' as const), next: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reschedule' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), which }) },
);
const steps = fc.array(step, { maxLength: 25, size: 'max' });

/** What both owners have in flight, and what must hold of it all along. */
class Watcher {
  accepted = 0;
  ended = 0;
  readonly #inFlight = new Map<Owner, Map<string, ClaimedDelivery>>();
  /** By subject: the delivery that runs. */
  readonly #running = new Map<string, string>();
  /** By subject: the number of the last event that ended. */
  readonly #last = new Map<string, number>();

  of(owner: Owner): Map<string, ClaimedDelivery> {
    const found = this.#inFlight.get(owner) ?? new Map<string, ClaimedDelivery>();
    this.#inFlight.set(owner, found);
    return found;
  }

  began(owner: Owner, deliveries: readonly ClaimedDelivery[]): void {
    for (const delivery of deliveries) {
      const subject = delivery.event.subject.id;
      expect(this.#running.get(subject), `overlap in lane ${subject}`).toBeUndefined();
      this.#running.set(subject, delivery.id);
      this.of(owner).set(delivery.id, delivery);
    }
  }

  /** Before the outcome is stored: another process may begin the next one before this call returns. */
  stops(owner: Owner, deliveries: readonly ClaimedDelivery[], ends: boolean): void {
    for (const { id, event } of deliveries) {
      this.#running.delete(event.subject.id);
      this.of(owner).delete(id);
      if (!ends) continue;
      const number = Number(id.slice(1));
      expect(number, `order of lane ${event.subject.id}`).toBeGreaterThan(
        this.#last.get(event.subject.id) ?? 0,
      );
      this.#last.set(event.subject.id, number);
      this.ended += 1;
    }
  }

  /** Forgets what an owner had in flight. */
  lost(owner: Owner): readonly ClaimedDelivery[] {
    const all = [...this.of(owner).values()];
    this.stops(owner, all, false);
    return all;
  }
}

async function take(owner: Owner, one: Step, watcher: Watcher): Promise<void> {
  const { store, clock } = owner;
  const held = [...watcher.of(owner).values()];
  const delivery = 'which' in one ? held[one.which % Math.max(1, held.length)] : undefined;
  const now = clock.now();
  switch (one.do) {
    case 'accept': {
      watcher.accepted += 1;
      const content = String(watcher.accepted);
      await owner.accept({ subject: `company:${String(one.subject)}`, content });
      return;
    }
    case 'claim':
      watcher.began(owner, await owner.claim({ limit: one.limit }));
      return;
    case 'end': {
      if (delivery === undefined) return;
      watcher.stops(owner, [delivery], true);
      const following = await owner.succeed(delivery, one.next);
      if (following !== null) watcher.began(owner, [following]);
      return;
    }
    case 'end-all': {
      watcher.stops(owner, held, true);
      const following = await store.succeed(held, { now, next: one.next });
      watcher.began(
        owner,
        following.map(({ delivery: next }) => {
          if (next.event === null) throw new Error(next.reason);
          return next;
        }),
      );
      return;
    }
    case 'reschedule':
      if (delivery === undefined) return;
      watcher.stops(owner, [delivery], false);
      await store.reschedule(delivery, { now, dueAt: now, reason: 'x' });
      return;
    case 'release':
      if (delivery === undefined) return;
      watcher.stops(owner, [delivery], false);
      await store.release([delivery], { dueAt: now });
  }
}

/** Ends everything, and requires that nothing is lost. */
async function drain({ first, second, client }: TwoOwners, watcher: Watcher): Promise<void> {
  for (const owner of [first, second]) await take(owner, { do: 'end-all', next: false }, watcher);
  // The clocks of the two have moved apart.
  first.clock.advance(600_000);
  for (let idle = 0; idle < 2;) {
    const before = watcher.ended;
    await take(first, { do: 'claim', limit: 9 }, watcher);
    await take(first, { do: 'end-all', next: false }, watcher);
    idle = watcher.ended === before ? idle + 1 : 0;
  }
  const { rows } = await client.query(
    "select count(*)::integer as all, count(*) filter (where status = 'succeeded')::integer as done from deliveries",
  );
  expect(rows).toEqual([{ all: watcher.accepted, done: watcher.accepted }]);
  expect(watcher.ended).toBe(watcher.accepted);
}

async function empty({ client }: TwoOwners): Promise<void> {
  await client.query('truncate deliveries, events, event_contents, subjects');
}

test('two processes at once: no overlap, no reordering and no loss in any lane', async () => {
  const owners = await openTwoOwners();
  await fc.assert(
    fc.asyncProperty(steps, steps, async (ofFirst, ofSecond) => {
      await empty(owners);
      const watcher = new Watcher();
      const run = async (owner: Owner, all: readonly Step[]) => {
        for (const one of all) await take(owner, one, watcher);
      };
      await Promise.all([run(owners.first, ofFirst), run(owners.second, ofSecond)]);
      await drain(owners, watcher);
    }),
    { numRuns: propertyRuns(15) },
  );
});

test('whoever loses a lease, at any time: no overlap, no reordering and no loss', async () => {
  const owners = await openTwoOwners();
  const any = fc.oneof(
    { weight: 8, arbitrary: step },
    { weight: 1, arbitrary: fc.constant({ do: 'lose' as const }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(any, fc.boolean()), { maxLength: 30, size: 'max' }), async (all) => {
      await empty(owners);
      const watcher = new Watcher();
      for (const [one, isFirst] of all) {
        const owner = isFirst ? owners.first : owners.second;
        if (one.do !== 'lose') {
          await take(owner, one, watcher);
          continue;
        }
        const lost = watcher.lost(owner);
        await owners.takeOverFrom(owner);
        // Empty, unless the owner's clock tells that its lease may be lost: then it has drawn a new one.
        watcher.began(owner, await owner.claim());
        await owners.beat(owner);
        for (const delivery of lost)
          await expect(owner.succeed(delivery, true)).rejects.toMatchObject({ code: 'invalid-argument' });
        // Those that were interrupted twice start one after the other.
        for (const each of [owners.first, owners.second]) each.clock.advance(31_000);
      }
      await drain(owners, watcher);
    }),
    { numRuns: propertyRuns(6) },
  );
});

test('no wake-up is lost when a lane’s last delivery ends while another one is accepted', async () => {
  const { first, second } = await openTwoOwners();
  const rounds = propertyRuns(80);
  for (let round = 1; round <= rounds; round += 1) {
    await first.accept({ content: `${String(round)} a` });
    const [last] = await first.claim();
    if (last === undefined) throw new Error(`nothing to claim in round ${String(round)}`);
    const [following] = await Promise.all([
      first.succeed(last, round % 2 === 0),
      second.accept({ content: `${String(round)} b` }),
    ]);
    const [next] = following === null ? await second.claim() : [following];
    expect(next, `round ${String(round)}`).toBeDefined();
    if (next !== undefined) await first.store.release([next], { dueAt: first.clock.now() });
    const [again] = await first.claim();
    if (again !== undefined) await first.succeed(again);
  }
});

test('two processes that claim at once share the work, and nothing is claimed twice', async () => {
  const { first, second } = await openTwoOwners();
  for (let subject = 1; subject <= 60; subject += 1)
    await first.accept({ subject: `company:${String(subject)}` });
  const both = await Promise.all([first.claim({ limit: 30 }), second.claim({ limit: 30 })]);

  // A claim reads one head more than it may start, which the other one may pass over meanwhile.
  for (const claimed of both) expect(claimed.length).toBeGreaterThanOrEqual(29);
  const all = [...both.flat(), ...(await first.claim({ limit: 60 }))].map(({ id }) => id);
  expect([all.length, new Set(all).size]).toEqual([60, 60]);
});

test('1,000 lanes that fail, and 1,000 that are paused, starve no other', async () => {
  const { first, second, client } = await openTwoOwners();
  await fill(client, 'failing', 1_000);
  await fill(client, 'paused', 1_000);
  const now = first.clock.now();
  const about = { reason: 'repair', pausedBy: 'ana', until: null, now };
  await first.store.pause({ handler: null, source: 'paused', subject: null }, about);
  // Each has failed once.
  await client.query('update deliveries set attempts = 1');
  await second.accept({ subject: 'company:other', source: 'quiet' });

  let rounds = 0;
  for (let found = false; !found && rounds < 30; rounds += 1) {
    const claimed = await first.claim({ limit: 50 });
    found = claimed.some(({ event }) => event.source === 'quiet');
    await first.store.release(claimed, { dueAt: now + 1 });
    for (const owner of [first, second]) owner.clock.advance(1);
  }
  expect(rounds, 'each round serves those that are due for longest').toBeLessThanOrEqual(21);
});

/** Stores an event of each of so many subjects of a source, with a delivery that is due. */
async function fill(client: TwoOwners['client'], source: string, subjects: number): Promise<void> {
  await client.query(
    `with added as (
       insert into subjects (source, family, entity)
       select $1, 'company', $1 || n from generate_series(1, $2::integer) n returning id
     ), stored as (
       insert into events (kind, recognized, subject_id, digest_key, digest, verdict, flags, received_at)
       select 'company.updated', 1, id, id, '\\x00', 'new', '[]', 0 from added returning id, subject_id
     )
     insert into deliveries (event_id, handler, lane_order, lane, status, head, due_at, asked_at)
     select id, $3, 'subject', subject_id, 'pending', 1, 0, 0 from stored`,
    [source, subjects, HANDLER],
  );
}

test('the end of a pause ends no wait that a process with a clock slightly ahead has decided', async () => {
  const { first, second } = await openTwoOwners();
  second.clock.advance(900);
  const [delivery] = await claimed(second, ['1']);
  const pause = { handler: null, source: 'default', subject: null };
  const now = first.clock.now();
  const { id } = await first.store.pause(pause, { reason: 'why', pausedBy: 'me', until: null, now });
  await second.fail(delivery!);
  expect(await first.claim()).toEqual([]);

  await first.store.resume([id]);

  expect(await first.claim()).toEqual([]);
  expect(await first.claim({ now: now + 60_900 })).toHaveLength(1);
});

test('a lane that one process holds behind a dead letter waits in all, and goes on after a retry by any', async () => {
  const { first, second } = await openTwoOwners();
  const [dead] = await claimed(first, ['1']);
  await second.accept({ subject: 'company:1', content: 'next' });
  // Its pauses are known before.
  expect(await second.claim()).toEqual([]);
  const now = first.clock.now();
  const end = { status: 'dead', reason: 'no such account', hold: true } as const;
  await first.store.complete(dead!, end, { now, next: true });

  expect([await first.claim(), await second.claim()]).toEqual([[], []]);

  await second.store.retryDeliveries([dead!.id], now);
  const [again] = await first.claim();
  expect(again?.id).toBe(dead!.id);
  expect((await first.succeed(again!, true))?.event.subject.id).toBe('1');
});
