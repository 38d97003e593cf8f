import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RejectedDelivery, RejectionReason } from '../../../src/event/delivery.ts';
import type { QuarantinedDelivery, QuarantineRecord } from '../../../src/store/queries.ts';
import type { Store } from '../../../src/store/store.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { fixtureAt, openFixture } from '../store-fixture.ts';
import { bytes, sampleEvent, sampleRejection } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** The bytes that an entry counts for: its body of 1,000 bytes, its strings and the row. */
const ENTRY = 1_617;

/** The quota limits the quarantine, and verified entries never make room for unverified ones. */
export function quarantineQuotaRules(kind: StoreKind): void {
  test('a held entry counts with everything that its sender chooses, until it is released', async () => {
    const fixture = await openFixture(kind);
    await fixture.store.quarantine(rejection('a'));
    expect(await fixture.store.statistics()).toMatchObject({ quarantined: 1, quarantineBytes: ENTRY });

    await fixture.store.quarantine(rejection('a'));
    await fixture.store.quarantine(rejection('b'));
    await fixture.store.accept(sampleEvent(), [], { releases: 'q1' });

    expect(await fixture.store.statistics()).toMatchObject({
      quarantined: 1,
      quarantineBytes: ENTRY,
      quarantineDropped: { verified: 0, unverified: 0 },
    });
  });

  test('drops the oldest entry beyond the quota', async () => {
    const fixture = await openFixture(kind, { maxQuarantineBytes: 3 * ENTRY });
    for (const content of ['a', 'b', 'c']) await fixture.store.quarantine(rejection(content));

    const fourth = await fixture.store.quarantine(rejection('d'));

    expect(fourth).toEqual({ id: 'q4', stored: true, repeat: false, dropped: 1 });
    expect(await heldIds(fixture.store)).toEqual(['q2', 'q3', 'q4']);
    expect(await fixture.store.statistics()).toMatchObject({
      quarantined: 3,
      quarantineBytes: 3 * ENTRY,
      quarantineMaxBytes: 3 * ENTRY,
      quarantineDropped: { verified: 1, unverified: 0 },
    });
  });

  test('reports a dropped entry as dropped, and holds the same bytes again as new', async () => {
    const fixture = await openFixture(kind, { maxQuarantineBytes: ENTRY });
    await fixture.store.quarantine(rejection('a'));
    await fixture.store.quarantine(rejection('b'));

    expect(await fixture.store.quarantinedDelivery('q1')).toBeNull();
    expect(await fixture.store.droppedFromQuarantine(['q1', 'q2', 'q3', 'q0', 'x'])).toEqual(['q1']);
    expect(await fixture.store.quarantine(rejection('a'))).toEqual({
      id: 'q3',
      stored: true,
      repeat: false,
      dropped: 1,
    });
    const release = fixture.store.accept(sampleEvent(), [], { releases: 'q1' });
    await expect(release).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('the quota or retention dropped it') as string,
    });
  });

  test('an unverified newcomer drops no verified entry, and finds no room when they fill the quota', async () => {
    const fixture = await openFixture(kind, { maxQuarantineBytes: 2 * ENTRY });
    await fixture.store.quarantine(rejection('a'));
    await fixture.store.quarantine(rejection('b'));

    const unverified = await fixture.store.quarantine(rejection('c', { senderVerified: false }));

    expect(unverified).toEqual({ id: 'q3', stored: false, repeat: false, dropped: 1 });
    expect(await heldIds(fixture.store)).toEqual(['q1', 'q2']);
    expect(await fixture.store.droppedFromQuarantine(['q3'])).toEqual(['q3']);
    expect(await fixture.store.statistics()).toMatchObject({
      quarantineDropped: { verified: 0, unverified: 1 },
    });
  });

  test("holds a verified sender's delivery separately from the same bytes of an unverified sender", async () => {
    const fixture = await openFixture(kind);
    await fixture.store.quarantine(rejection('a', { senderVerified: false }));

    expect(await fixture.store.quarantine(rejection('a'))).toEqual({
      id: 'q2',
      stored: true,
      repeat: false,
      dropped: 0,
    });
    expect(await fixture.store.quarantine(rejection('a'))).toMatchObject({ id: 'q2', repeat: true });
  });

  test('a verified newcomer drops unverified entries, even newer ones, before verified ones', async () => {
    const fixture = await openFixture(kind, { maxQuarantineBytes: 2 * ENTRY });
    await fixture.store.quarantine(rejection('a'));
    await fixture.store.quarantine(rejection('b', { senderVerified: false }));

    await fixture.store.quarantine(rejection('c'));
    expect(await heldIds(fixture.store)).toEqual(['q1', 'q3']);

    await fixture.store.quarantine(rejection('d'));
    expect(await heldIds(fixture.store)).toEqual(['q3', 'q4']);
  });

  test('a flood for one reason leaves a third of the quota to each other reason', async () => {
    const fixture = await openFixture(kind, { maxQuarantineBytes: 6 * ENTRY });
    const hold = (content: string, reason: RejectionReason) =>
      fixture.store.quarantine(rejection(content, { reason }));
    for (const content of ['a', 'b', 'c', 'd', 'e', 'f']) await hold(content, 'malformed');
    for (const content of ['g', 'h', 'i']) await hold(content, 'conflict');
    for (const content of ['j', 'k', 'l']) await hold(content, 'malformed');

    const held = await heldEntries(fixture.store);

    expect(held.filter(({ reason }) => reason === 'conflict').map(({ id }) => id)).toEqual(['q8', 'q9']);
    expect(held.map(({ id }) => id)).toEqual(['q6', 'q8', 'q9', 'q10', 'q11', 'q12']);
  });

  test('a commit drops at most 1,000 entries, and later ones drop the rest', async () => {
    const quota = 1_200 * ENTRY;
    const fixture = await openFixture(kind, { maxQuarantineBytes: quota });
    const unverified = Array.from({ length: 1_200 }, (_, at) =>
      rejection(String(at), { senderVerified: false }),
    );
    await Promise.all(unverified.map((one) => fixture.store.quarantine(one)));
    const large = (name: string, senderVerified: boolean) => rejection(name, { senderVerified }, 550 * ENTRY);

    // All calls of one run of the event loop share a commit.
    const outcomes = await Promise.all([
      ...['a', 'b'].map((name) => fixture.store.quarantine(large(name, true))),
      fixture.store.quarantine(large('c', false)),
    ]);

    expect(outcomes.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(1_001);
    expect(await fixture.store.droppedFromQuarantine(['q1201', 'q1202', 'q1203'])).toEqual(['q1203']);
    expect((await fixture.store.statistics()).quarantineBytes).toBeGreaterThan(quota);

    for (let at = 0; at < 9; at += 1) await fixture.store.quarantine(rejection(`later ${String(at)}`));
    expect((await fixture.store.statistics()).quarantineBytes).toBeLessThanOrEqual(quota);
  });

  test('a delivery larger than the quota is not held, and drops nothing', async () => {
    const fixture = await openFixture(kind, { maxQuarantineBytes: 2 * ENTRY });
    await fixture.store.quarantine(rejection('a'));

    const large = await fixture.store.quarantine(sampleRejection({ body: new Uint8Array(2 * ENTRY) }));

    expect(large).toEqual({ id: 'q2', stored: false, repeat: false, dropped: 1 });
    expect(await heldIds(fixture.store)).toEqual(['q1']);
  });

  test('a conflict reports the number of entries that it drops', async () => {
    const fixture = await openFixture(kind, { maxQuarantineBytes: 2 * ENTRY + 300 });
    await fixture.store.quarantine(rejection('a'));
    await fixture.store.quarantine(rejection('b'));
    await fixture.stored({ content: 'A', messageId: 'm1' });

    const conflict = await fixture.accept({ content: 'B', messageId: 'm1', body: bytes('B'.padEnd(1_000)) });

    expect(conflict).toMatchObject({ status: 'conflict', quarantineId: 'q3', dropped: 1 });
    expect(await heldIds(fixture.store)).toEqual(['q2', 'q3']);
  });

  test('keeps any sequence of entries within the quota, and drops verified entries only for verified ones', async () => {
    const arrival = fc.record({
      senderVerified: fc.boolean(),
      reason: fc.constantFrom('malformed' as const, 'invalid' as const, 'conflict' as const),
      size: fc.constantFrom(0, 1, 400, 1_000, 2_500, 4_000, 9_000),
      release: fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 0),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(arrival, { maxLength: 30 }),
        fc.constantFrom(3_000, 6_000, 10_000),
        async (arrivals, quota) => {
          const place = await kind.place();
          const store = await place.open('owner', manualClock(), { maxQuarantineBytes: quota });
          try {
            let before = new Map<string, boolean>();
            for (const [at, { senderVerified, reason, size, release }] of arrivals.entries()) {
              const body = new Uint8Array(4 + size).fill(at);
              const result = await store.quarantine(sampleRejection({ body, senderVerified, reason }));
              const statistics = await store.statistics();
              const entries = await heldDeliveries(store);
              const after = new Map(entries.map((entry) => [entry.id, entry.senderVerified]));

              expect(statistics.quarantineBytes).toBeLessThanOrEqual(quota);
              expect(statistics.quarantined).toBe(entries.length);
              const counted = entries.reduce((sum, entry) => sum + countedFor(entry), 0);
              expect(statistics.quarantineBytes).toBe(counted);
              const gone = [...before.keys()].filter((id) => !after.has(id));
              const isHeld = after.has(result.id);
              expect(result.dropped).toBe(gone.length + (isHeld ? 0 : 1));
              if (!senderVerified) expect(gone.filter((id) => before.get(id))).toEqual([]);
              // A verified entry is dropped only when no unverified one is left.
              if (gone.some((id) => before.get(id))) expect([...after.values()]).not.toContain(false);
              if (gone.length > 0) expect(await store.droppedFromQuarantine(gone)).toEqual(gone);
              before = after;
              const [oldest] = entries;
              if (!release || oldest === undefined) continue;
              await store.accept(sampleEvent({ content: String(at) }), [], { releases: oldest.id });
              before.delete(oldest.id);
            }
          } finally {
            await store.close();
            await place.remove();
          }
        },
      ),
      { numRuns: propertyRuns(60) },
    );
  });

  test('reaches a lowered quota gradually, as deliveries arrive', async () => {
    const fixture = await openFixture(kind);
    await Promise.all(
      Array.from({ length: 1_000 }, (_, at) => fixture.store.quarantine(rejection(String(at)))),
    );
    await fixture.store.close();
    const lowered = await fixtureAt(fixture.place, fixture.clock, { maxQuarantineBytes: 10 * ENTRY });

    const dropped: number[] = [];
    for (const content of ['a', 'b', 'c', 'd', 'e'])
      dropped.push((await lowered.store.quarantine(rejection(content))).dropped);

    expect(Math.max(...dropped)).toBeLessThan(300);
    expect(await lowered.store.statistics()).toMatchObject({
      quarantined: 10,
      quarantineBytes: 10 * ENTRY,
      quarantineDropped: { verified: 995, unverified: 0 },
    });
  });
}

function rejection(
  content: string,
  more: { readonly senderVerified?: boolean; readonly reason?: RejectionReason } = {},
  length = 1_000,
): RejectedDelivery {
  return sampleRejection({ body: bytes(content.padEnd(length, '.')), ...more });
}

function heldEntries(store: Store): Promise<readonly QuarantineRecord[]> {
  return store.quarantined({ status: 'held' }, { order: 'oldest', limit: 500 });
}

async function heldIds(store: Store): Promise<readonly string[]> {
  return (await heldEntries(store)).map(({ id }) => id);
}

async function heldDeliveries(store: Store): Promise<readonly QuarantinedDelivery[]> {
  const deliveries: QuarantinedDelivery[] = [];
  for (const { id } of await heldEntries(store)) {
    const delivery = await store.quarantinedDelivery(id);
    if (delivery !== null) deliveries.push(delivery);
  }
  return deliveries;
}

function countedFor({ body, headers, issues, kind, message, messageId }: QuarantinedDelivery): number {
  const texts = [JSON.stringify(headers), JSON.stringify(issues), kind, message, messageId];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 512 + body.length);
}
