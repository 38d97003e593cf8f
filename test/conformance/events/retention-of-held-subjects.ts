import { expect, test } from 'vitest';
import { DAY_MS } from '../../../src/kernel/time/durations.ts';
import { sampleEvent, sampleRejection } from '../sample-event.ts';
import { openFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';

const company = { family: 'company', id: '1' };
const hold = { reason: 'case 1', placedBy: 'ana' };

/** A legal hold keeps what retention would prune. */
export function heldSubjectRules(kind: StoreKind): void {
  test('an event of a held subject is not pruned, and the page counts it', async () => {
    const { store, clock, stored } = await openFixture(kind);
    const held = await stored({ content: 'A' }, []);
    const free = await stored({ subject: 'company:2', content: 'B' }, []);
    await store.hold([company], hold);
    clock.advance(DAY_MS);
    const before = clock.now();

    const page = await store.prunableEvents({ before, after: 0, limit: 10 });
    expect(page).toMatchObject({ rows: [2], held: 1, waiting: 0, firstKept: 1 });
    // Also when it is asked for.
    const request = { events: [1, 2], machines: [], bases: [], before, now: before };
    expect(await store.pruneEvents(request)).toMatchObject({ events: 1 });

    expect((await store.event(held))?.body).not.toBeNull();
    expect((await store.event(free))?.body).toBeNull();
    await store.removeHolds([company]);
    expect(await store.pruneEvents(request)).toMatchObject({ events: 1 });
  });

  test('a delivery of a held subject keeps its error, and its dead letter', async () => {
    const { store, clock, stored, claim } = await openFixture(kind);
    await stored({ content: 'A' });
    await stored({ subject: 'company:2', content: 'B' });
    const at = { now: clock.now(), next: false };
    for (const delivery of await claim())
      await store.complete(delivery, { status: 'dead', reason: 'for Ana' }, at);
    await store.hold([company], hold);
    clock.advance(DAY_MS);
    const before = clock.now();

    const page = await store.prunableDeliveries({ before, after: 0, limit: 10 });
    expect(page).toMatchObject({ rows: [2], held: 1 });
    expect(await store.pruneDeliveries([1, 2], before)).toEqual({ deliveries: 1, discarded: 1 });

    const list = await store.deliveries({}, { order: 'oldest', limit: 2 });
    expect(list.map(({ status }) => status)).toEqual(['dead', 'skipped']);
    expect(list[0]?.lastError).toBe('for Ana');
  });

  test('a quarantine entry that became an event of a held subject stays', async () => {
    const { store, clock } = await openFixture(kind);
    for (const content of ['released', 'unknown'])
      await store.quarantine(sampleRejection({ body: Buffer.from(content), receivedAt: clock.now() }));
    await store.accept(sampleEvent(), [], { releases: 'q1' });
    await store.hold([company], hold);
    clock.advance(DAY_MS);
    const before = clock.now();

    expect(await store.prunableQuarantine({ before, after: 0, limit: 10 })).toMatchObject({
      rows: [2],
      held: 1,
    });
    expect(await store.pruneQuarantine([1, 2], before)).toBe(1);

    const left = await store.quarantined({}, { order: 'oldest', limit: 10 });
    expect(left.map(({ id }) => id)).toEqual(['q1']);
  });
}
