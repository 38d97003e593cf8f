import { expect, test } from 'vitest';
import type { JobSelection, NewJob } from '../../../src/store/jobs.ts';
import { bytes, route, sampleEvent, sampleRejection } from '../sample-event.ts';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';

/** A store with dead deliveries d1, d2, … of subjects of their own. */
async function withDead(kind: StoreKind, count: number): Promise<StoreFixture> {
  const fixture = await openFixture(kind);
  for (let number = 1; number <= count; number++) {
    await fixture.stored({ subject: `company:${String(number)}` });
    await fail(fixture);
  }
  return fixture;
}

async function fail(fixture: StoreFixture): Promise<void> {
  const options = { now: fixture.clock.now(), next: false };
  await fixture.store.complete(await fixture.claimOne(), { status: 'dead', reason: 'closed' }, options);
}

const retry = (planned: number, endedUpTo: number, more: Partial<NewJob> = {}): NewJob => ({
  plan: 'plan-1',
  action: 'retry',
  selection: { deliveries: { status: 'dead', endedUpTo } } satisfies JobSelection,
  planned,
  staged: true,
  rate: null,
  stopAt: 0.2,
  reason: null,
  requestedBy: 'ana',
  ...more,
});

/** Plans that were started. */
export function jobRules(kind: StoreKind): void {
  test('a job is stored with its plan, which starts one job only', async () => {
    const { store, clock } = await openFixture(kind);
    const job = await store.createJob(retry(3, 5), clock.now());
    expect(job).toMatchObject({
      ...retry(3, 5),
      id: 'j1',
      state: 'running',
      createdAt: clock.now(),
      endedAt: null,
      stage: { number: 1, size: 1, acted: 0, ended: 0, failed: 0 },
      cursor: null,
    });
    expect(await store.createJob(retry(3, 5), clock.now() + 9)).toEqual(job);
    expect(await store.runningJobs()).toEqual(['j1']);
    await store.createJob(retry(1, 5, { plan: 'plan-2', staged: false }), clock.now());
    expect((await store.jobs({ limit: 9 })).map(({ id, stage }) => [id, stage.size])).toEqual([
      ['j2', null],
      ['j1', 1],
    ]);
    expect((await store.jobs({ limit: 9, after: 'j2' })).map(({ id }) => id)).toEqual(['j1']);
    expect(await store.job('j9')).toBeNull();
  });

  test('a step acts once on each item, however often it is repeated', async () => {
    const fixture = await withDead(kind, 3);
    const { store, clock } = fixture;
    await store.createJob(retry(3, clock.now()), clock.now());
    const step = { items: ['d1', 'd2'], now: clock.now() };
    await store.stepJob('j1', step);
    await store.stepJob('j1', step);
    expect(await store.job('j1')).toMatchObject({ acted: 2, leftAlone: 0, cursor: 'd2' });

    clock.advance(5);
    for (const delivery of await fixture.claim())
      await store.complete(delivery, { status: 'dead', reason: 'again' }, { now: clock.now(), next: false });
    await store.stepJob('j1', { items: ['d1', 'd2', 'd3'], now: clock.now() });
    expect(await store.job('j1')).toMatchObject({ acted: 3, cursor: 'd3' });
    const records = await store.deliveries({}, { order: 'oldest', limit: 9 });
    expect(records.map(({ status }) => status)).toEqual(['dead', 'dead', 'pending']);
  });

  test('a step leaves alone what has changed since the plan', async () => {
    const fixture = await withDead(kind, 3);
    const { store, clock } = fixture;
    const plannedAt = clock.now();
    await store.createJob(retry(3, plannedAt), plannedAt);
    clock.advance(5);
    await store.retryDeliveries(['d1', 'd2'], clock.now());
    // d1 is pending; d2 has failed again.
    for (const delivery of await fixture.claim())
      if (delivery.id === 'd2')
        await store.complete(
          delivery,
          { status: 'dead', reason: 'again' },
          { now: clock.now(), next: false },
        );
    await store.stepJob('j1', { items: ['d1', 'd2', 'd3'], now: clock.now() });
    expect(await store.job('j1')).toMatchObject({ acted: 1, leftAlone: 2 });
    const records = await store.deliveries({ ids: ['d2'] }, { order: 'oldest', limit: 9 });
    expect(records).toMatchObject([{ status: 'dead', lastError: 'again' }]);
  });

  test('a plan selects what had failed when it was made, whatever a clock that is set back says', async () => {
    const fixture = await withDead(kind, 3);
    const { store, clock } = fixture;
    clock.jump(-3_600_000);
    const deliveries = {
      status: 'dead',
      failedUpTo: await store.lastAttempt(),
      endedUpTo: clock.now(),
    } as const;
    expect(await store.countDeliveries(deliveries)).toMatchObject({ handlers: [{ deliveries: 3 }] });

    await store.createJob(retry(3, 0, { selection: { deliveries } }), clock.now());
    clock.jump(-3_600_000);
    await store.retryDeliveries(['d2'], clock.now());
    await fail(fixture);
    await fixture.stored({ subject: 'company:4' });
    await fail(fixture);

    expect(await store.countDeliveries(deliveries)).toMatchObject({ handlers: [{ deliveries: 2 }] });
    await store.stepJob('j1', { items: ['d1', 'd2', 'd3', 'd4'], now: clock.now() });
    expect(await store.job('j1')).toMatchObject({ acted: 2, leftAlone: 2 });
    const records = await store.deliveries({}, { order: 'oldest', limit: 9 });
    expect(records.map(({ status }) => status)).toEqual(['pending', 'dead', 'pending', 'dead']);
  });

  test('a failed attempt has a higher number than those that were pruned', async () => {
    const fixture = await withDead(kind, 2);
    const { store, clock } = fixture;
    const before = await store.lastAttempt();
    clock.advance(5);
    await store.pruneDeliveries([1, 2], clock.now());
    expect(await store.lastAttempt()).toBe(0);

    await fixture.stored({ subject: 'company:3' });
    await fail(fixture);

    expect(await store.lastAttempt()).toBeGreaterThan(before);
  });

  test('results are recorded once; a delivery that is tried again after a failure has failed', async () => {
    const fixture = await withDead(kind, 4);
    const { store, clock } = fixture;
    const now = clock.now();
    await store.createJob(retry(4, now, { staged: false }), now);
    await store.stepJob('j1', { items: ['d1', 'd2', 'd3', 'd4'], now });
    expect(await store.recordJobResults('j1')).toMatchObject({ open: 4, job: { succeeded: 0 } });

    const [one, two, three] = await fixture.claim();
    if (one === undefined || two === undefined || three === undefined) throw new Error('too few');
    await fixture.succeed(one);
    await store.complete(two, { status: 'dead', reason: 'again' }, { now, next: false });
    await store.reschedule(three, { now, dueAt: now + 1000, reason: 'again' });
    const expected = { succeeded: 1, failed: 2, skipped: 0, stage: { acted: 4, ended: 3, failed: 2 } };
    expect(await store.recordJobResults('j1')).toMatchObject({ open: 1, job: expected });
    expect(await store.recordJobResults('j1')).toMatchObject({ open: 1, job: expected });
    expect(await store.jobItems('j1', { outcome: 'failed', limit: 9 })).toEqual(['d2', 'd3']);
    expect(await store.jobItems('j1', { outcome: 'failed', limit: 1 })).toEqual(['d2']);
    expect(await store.jobStages('j1')).toEqual([
      { stage: 1, acted: 4, succeeded: 1, failed: 2, skipped: 0 },
    ]);
  });

  test('an attempt that the end of the process interrupted has not failed', async () => {
    const fixture = await withDead(kind, 1);
    const { store, clock } = fixture;
    await store.createJob(retry(1, clock.now()), clock.now());
    await store.stepJob('j1', { items: ['d1'], now: clock.now() });
    await fixture.claimOne();
    await store.recover();
    expect(await store.recordJobResults('j1')).toMatchObject({ open: 1, job: { failed: 0 } });
  });

  test('a job that does not run acts on nothing, and goes on with a new stage', async () => {
    const fixture = await withDead(kind, 2);
    const { store, clock } = fixture;
    const now = clock.now();
    await store.createJob(retry(2, now), now);
    const cancel = {
      from: ['running'],
      to: 'cancelled',
      ending: { code: 'cancelled', by: 'ana' },
      now: now + 1,
    } as const;
    expect(await store.changeJob('j1', cancel)).toBe(true);
    expect(await store.changeJob('j1', cancel)).toBe(false);
    await store.stepJob('j1', { items: ['d1'], now });
    expect(await store.job('j1')).toMatchObject({
      state: 'cancelled',
      ending: { code: 'cancelled', by: 'ana' },
      acted: 0,
      endedAt: now + 1,
    });
    expect(await store.runningJobs()).toEqual([]);

    const resume = { from: ['cancelled'], to: 'running', ending: null, now, stageSize: 10 } as const;
    expect(await store.changeJob('j1', resume)).toBe(true);
    expect(await store.job('j1')).toMatchObject({ endedAt: null, stage: { number: 2, size: 10 } });
    await store.stepJob('j1', { items: ['d1'], now });
    expect(await store.job('j1')).toMatchObject({ acted: 1 });

    // Whoever decided on an earlier stage changes nothing.
    const next = { ...resume, from: ['running'], stageSize: 100 } as const;
    expect(await store.changeJob('j1', { ...next, ofStage: 1 })).toBe(false);
    expect(await store.changeJob('j1', { ...next, ofStage: 2 })).toBe(true);
    expect(await store.job('j1')).toMatchObject({ stage: { number: 3, size: 100 } });
  });

  test('a discard has its results at once, with the reason', async () => {
    const fixture = await withDead(kind, 2);
    const { store, clock } = fixture;
    await store.createJob(
      retry(2, clock.now(), { action: 'discard', reason: 'old', staged: false }),
      clock.now(),
    );
    await store.stepJob('j1', { items: ['d1', 'd2'], now: clock.now() });
    expect(await store.recordJobResults('j1')).toMatchObject({ open: 0, job: { acted: 2, skipped: 2 } });
    const [record] = await store.deliveries({ ids: ['d1'] }, { order: 'oldest', limit: 1 });
    expect(record?.lastError).toMatch(/^discarded by ana at \S+: old; before: closed$/u);
  });

  test('jobs that ended before a time are removed with their items, in steps', async () => {
    const fixture = await withDead(kind, 3);
    const { store, clock } = fixture;
    const ended = clock.now();
    for (const [number, to] of (['finished', 'stopped', 'running'] as const).entries()) {
      const id = `j${String(number + 1)}`;
      await store.createJob(retry(1, ended, { plan: `plan-${id}`, staged: false }), ended);
      await store.stepJob(id, { items: [`d${String(number + 1)}`], now: ended });
      if (to !== 'running') await store.changeJob(id, { from: ['running'], to, ending: null, now: ended });
    }
    const left = async () => (await store.jobs({ limit: 9 })).map(({ id }) => id);
    expect(await store.pruneJobs(ended, 10)).toBe(0);

    expect(await store.pruneJobs(ended + 1, 1)).toBe(1);
    expect(await left()).toEqual(['j3', 'j2', 'j1']);
    expect(await store.pruneJobs(ended + 1, 10)).toBe(3);
    expect(await left()).toEqual(['j3']);
    expect(await store.recordJobResults('j3')).toMatchObject({ open: 1 });
    await expect(store.recordJobResults('j1')).rejects.toMatchObject({ code: 'not-found' });
    // Ids are never used twice.
    expect(await store.createJob(retry(1, ended), ended)).toMatchObject({ id: 'j4' });
    expect(await store.pruneJobs(ended + 1, 10)).toBe(0);
  });

  test('a release of an event for which no handler runs is skipped', async () => {
    const { store, clock } = await openFixture(kind);
    await store.quarantine(sampleRejection());
    const release = { action: 'release', selection: { entries: {} }, staged: false } as const;
    await store.createJob(retry(1, 0, release), clock.now());
    await store.accept(sampleEvent(), [route('anyone')], {
      ...{ releases: 'q1', overtaken: [{ handler: 'anyone', by: 'e' }] },
    });
    await store.stepJob('j1', { items: ['q1'], now: clock.now(), released: true });
    expect(await store.recordJobResults('j1')).toMatchObject({ open: 0, job: { succeeded: 0, skipped: 1 } });
  });

  test('counts deliveries by handler and lane, and those that were retried before', async () => {
    const fixture = await withDead(kind, 3);
    const { store, clock } = fixture;
    const oldestAt = clock.now();
    clock.advance(5);
    await store.retryDeliveries(['d2'], clock.now());
    await fail(fixture);
    expect(await store.countDeliveries({ status: 'dead' })).toEqual({
      handlers: [{ handler: 'anyone', deliveries: 3, lanes: 3, retriedBefore: 1, oldestAt }],
      lanes: [1, 2, 3].map((id) => ({
        handler: 'anyone',
        subject: { family: 'company', id: String(id) },
        deliveries: 1,
      })),
    });
    expect(await store.countDeliveries({ status: 'dead', endedUpTo: oldestAt })).toMatchObject({
      handlers: [{ deliveries: 2 }],
    });
    expect(await store.countDeliveries({ handler: 'nobody' })).toEqual({ handlers: [], lanes: [] });
  });

  test('counts held entries, and groups them by their problem', async () => {
    const { store, clock } = await openFixture(kind);
    const hold = async (content: string, changes: Parameters<typeof sampleRejection>[0] = {}) => {
      const rejected = sampleRejection({ body: bytes(content), receivedAt: clock.now(), ...changes });
      await store.quarantine(rejected);
      clock.advance(5);
    };
    const firstAt = clock.now();
    await hold('one', { subject: 'company:1' });
    await hold('other', { kind: 'charge.updated' });
    await hold('two', { subject: 'company:2' });
    await hold('one', { subject: 'company:1' });

    expect(await store.countEntries({ status: 'held' })).toBe(3);
    expect(await store.countEntries({ kind: 'company.updated', upTo: 'q2' })).toBe(1);
    const groups = await store.problemGroups();
    expect(groups).toMatchObject([
      {
        ...{ reason: 'invalid', entries: 2, subjects: 2, repeats: 1 },
        ...{ firstAt, lastAt: firstAt + 15, sample: { id: 'q3' } },
      },
      { entries: 1, firstAt: firstAt + 5, lastAt: firstAt + 5, sample: { id: 'q2', kind: 'charge.updated' } },
    ]);
    expect(await store.countEntries({ problem: groups[0]?.problem ?? '' })).toBe(2);
  });
}
