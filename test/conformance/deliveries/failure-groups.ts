import fc from 'fast-check';
import { expect, test } from 'vitest';
import { errorKind, fingerprintOf } from '../../../src/kernel/text/error-kind.ts';
import type { FailureGroup } from '../../../src/store/plans.ts';
import { fixtureAt, openFixture, type StoreFixture } from '../store-fixture.ts';
import { route } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { letters } from '../../support/webhooks/letters.ts';

const routes = ['anyone', 'other'].map((handler) => route(handler));
const claimAll = { handlers: ['anyone', 'other'] };

/** Stores an event of its own subject for `anyone`, and ends its delivery as dead. Returns the delivery. */
async function deadOf(fixture: StoreFixture, subject: number, reason: string): Promise<string> {
  await fixture.stored({ subject: `company:${String(subject)}` });
  const delivery = await fixture.claimOne();
  const options = { now: fixture.clock.now(), next: false };
  await fixture.store.complete(delivery, { status: 'dead', reason }, options);
  return delivery.id;
}

const summary = ({ handler, error, dead, failing }: FailureGroup) => [handler, error, dead, failing];

/** Failed deliveries are grouped by handler and kind of error. */
export function failureGroupRules(kind: StoreKind): void {
  test('groups dead deliveries by kind of error, with count, first, last and a sample', async () => {
    const fixture = await openFixture(kind);
    await deadOf(fixture, 1, 'Error: no order 4711');
    const first = fixture.clock.now();
    fixture.clock.advance(60_000);
    await deadOf(fixture, 2, 'TypeError: closed');
    fixture.clock.advance(60_000);
    const newest = await deadOf(fixture, 3, 'Error: no order 12');

    const groups = await fixture.store.failureGroups({});
    expect(groups).toMatchObject([
      { handler: 'anyone', dead: 2, failing: 0, subjects: 2, firstAt: first, lastAt: first + 120_000 },
      { handler: 'anyone', dead: 1, failing: 0 },
    ]);
    expect(groups[0]?.sample).toMatchObject({ id: newest, lastError: 'Error: no order 12', status: 'dead' });
    expect(groups[0]?.error).toBe(fingerprintOf(errorKind('Error: no order 99')));
    expect(await fixture.store.failureGroups({ handler: 'other' })).toEqual([]);
  });

  test('counts and dates the failures of what belongs to a company', async () => {
    const fixture = await openFixture(kind);
    const { store } = fixture;
    await deadOf(fixture, 1, 'Error: no order 4711');
    fixture.clock.advance(1_000);
    const firstAt = fixture.clock.now();
    const own = await deadOf(fixture, 2, 'Error: no order 12');
    fixture.clock.advance(1_000);
    const lastAt = fixture.clock.now();
    await fixture.stored({ subject: 'company:2', content: 'next' });
    const again = { now: lastAt, dueAt: lastAt + 60_000, reason: 'Error: no order 7', durationMs: 1 };
    await store.reschedule(await fixture.claimOne(), again);
    fixture.clock.advance(1_000);
    await deadOf(fixture, 3, 'Error: no order 13');
    await deadOf(fixture, 4, 'TypeError: closed');
    const company = { company: '2', ...(await store.companySubjects('2', 9)) };
    const [group, ...others] = await store.failureGroups(company);
    expect(others).toEqual([]);
    expect(group).toMatchObject({ handler: 'anyone', dead: 1, failing: 1, subjects: 1, sample: { id: own } });
    expect(group, 'its own first and last').toMatchObject({ firstAt, lastAt });
    expect(await store.failureGroups({ company: '2' }), 'nothing is looked up').toEqual([]);
    expect(await store.failureGroups({ ...company, handler: 'other' })).toEqual([]);
    const filter = { status: 'dead', error: group?.error ?? '', ...company } as const;
    expect(await store.deliveries(filter, { order: 'newest', limit: 9 })).toMatchObject([{ id: own }]);
  });

  test('lists the deliveries of a group', async () => {
    const fixture = await openFixture(kind);
    const one = await deadOf(fixture, 1, 'Error: no order 4711');
    await deadOf(fixture, 2, 'TypeError: closed');
    const other = await deadOf(fixture, 3, 'Error: no order 12');
    const error = fingerprintOf(errorKind('Error: no order 99'));
    const found = async (order: 'newest' | 'oldest', after?: string) =>
      (
        await fixture.store.deliveries(
          { error, status: 'dead' },
          { order, limit: 9, ...(after !== undefined && { after }) },
        )
      ).map(({ id }) => id);
    expect(await found('newest')).toEqual([other, one]);
    expect(await found('oldest', one)).toEqual([other]);
    expect(await fixture.store.deliveries({ error: 'feedfeedfeed' }, { order: 'oldest', limit: 9 })).toEqual(
      [],
    );
  });

  test('counts deliveries that fail and will be tried again, until they succeed', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({});
    const delivery = await fixture.claimOne();
    const now = fixture.clock.now();
    await fixture.store.reschedule(delivery, { now, dueAt: now + 10, reason: 'timeout after 20 ms' });
    expect((await fixture.store.failureGroups({})).map(summary)).toMatchObject([['anyone', {}, 0, 1]]);

    fixture.clock.advance(10);
    await fixture.succeed(await fixture.claimOne());
    expect(await fixture.store.failureGroups({})).toEqual([]);
  });

  test('a retried delivery is no longer in its group', async () => {
    const fixture = await openFixture(kind);
    const id = await deadOf(fixture, 1, 'first reason');
    await fixture.store.retryDeliveries([id], fixture.clock.now());
    expect(await fixture.store.failureGroups({})).toEqual([]);
  });

  test('errors that are all different become 200 groups and one for the others', async () => {
    const fixture = await openFixture(kind);
    const subjects = Array.from({ length: 230 }, (_, number) => `company:${String(number)}`);
    await Promise.all(subjects.map((subject) => fixture.stored({ subject })));
    // One after the other: a busy server has no session for all at once.
    for (const [number, delivery] of (await fixture.claim({ limit: 230 })).entries()) {
      const reason = `fault ${letters(number)}`;
      const now = fixture.clock.now();
      await fixture.store.complete(delivery, { status: 'dead', reason }, { now, next: false });
    }
    const groups = await fixture.store.failureGroups({});
    expect(groups).toHaveLength(201);
    expect(groups.reduce((sum, { dead }) => sum + dead, 0)).toBe(230);
  });

  test('counts what is dead, whatever happens to deliveries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        const place = await kind.place();
        const fixture = await fixtureAt(place);
        try {
          await perform(fixture, actions);
          await expectCounts(fixture);
        } finally {
          await fixture.store.close();
          await place.remove();
        }
      }),
      { numRuns: propertyRuns(30) },
    );
  });
}

const action = fc.record({
  what: fc.constantFrom('fail', 'die', 'succeed', 'retry', 'discard', 'accept'),
  at: fc.nat(20),
  error: fc.constantFrom('Error: no order 1', 'Error: no order 2', 'TypeError: closed', 'gone'),
});
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

async function perform(fixture: StoreFixture, actions: readonly Action[]): Promise<void> {
  let subjects = 0;
  for (const { what, at, error } of actions) {
    const now = fixture.clock.now();
    const all = await fixture.store.deliveries({}, { order: 'oldest', limit: 100 });
    const one = all[at % Math.max(1, all.length)];
    if (what === 'accept') await fixture.stored({ subject: `company:${String(++subjects)}` }, routes);
    else if (what === 'retry') await fixture.store.retryDeliveries(one ? [one.id] : [], now);
    else if (what === 'discard')
      await fixture.store.discardDeliveries(one ? [one.id] : [], { reason: 'no need', now });
    else {
      const [claimed] = await fixture.claim({ ...claimAll, limit: 1 });
      if (claimed === undefined) continue;
      if (what === 'succeed') await fixture.succeed(claimed);
      else if (what === 'fail') await fixture.store.reschedule(claimed, { now, dueAt: now, reason: error });
      else await fixture.store.complete(claimed, { status: 'dead', reason: error }, { now, next: false });
    }
    fixture.clock.advance(1);
  }
}

/** Compares the groups with the dead deliveries themselves. */
async function expectCounts(fixture: StoreFixture): Promise<void> {
  const dead = await fixture.store.deliveries({ status: 'dead' }, { order: 'oldest', limit: 100 });
  const expected = new Map<string, number>();
  for (const { handler, lastError } of dead) {
    const key = `${handler} ${fingerprintOf(errorKind(lastError ?? ''))}`;
    expected.set(key, (expected.get(key) ?? 0) + 1);
  }
  const groups = (await fixture.store.failureGroups({})).filter((group) => group.dead > 0);
  expect(new Map(groups.map((group) => [`${group.handler} ${group.error}`, group.dead]))).toEqual(expected);
  for (const { error, handler, dead: count } of groups)
    expect(
      await fixture.store.deliveries({ error, handler, status: 'dead' }, { order: 'newest', limit: 100 }),
    ).toHaveLength(count);
}
