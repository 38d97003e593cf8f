import { expect, test } from 'vitest';
import { openFixture } from '../store-fixture.ts';
import { bytes, sampleEvent, sampleRejection, route } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';

/** The quarantine holds rejected deliveries until they are released. */
export function quarantineRules(kind: StoreKind): void {
  test('stores a rejected delivery completely', async () => {
    const fixture = await openFixture(kind);
    const body = Uint8Array.from({ length: 256 }, (_, value) => value);
    const subject = 'company:3';
    const sketch = { body, headers: { 'x-a': 'b' }, messageId: 'm1', receivedAt: 7, subject };
    const rejected = sampleRejection(sketch);

    expect(await fixture.store.quarantine(rejected)).toEqual({
      id: 'q1',
      stored: true,
      repeat: false,
      dropped: 0,
    });

    expect(await fixture.store.quarantinedDelivery('q1')).toEqual({
      id: 'q1',
      source: 'default',
      status: 'held',
      reason: 'invalid',
      kind: 'company.updated',
      subject,
      message: 'does not fit',
      issues: [{ path: 'data.id', message: 'is missing' }],
      receivedAt: 7,
      repeats: 0,
      lastRepeatAt: null,
      eventId: null,
      body,
      headers: { 'x-a': 'b' },
      messageId: 'm1',
      senderVerified: true,
      messageIdTrusted: true,
      erased: false,
    });
  });

  test('selects the entries that name a subject, those in conflict, too', async () => {
    const fixture = await openFixture(kind);
    const { store } = fixture;
    await store.accept(sampleEvent({ messageId: 'm1', content: 'A', subject: 'company:3' }), []);
    await store.accept(sampleEvent({ messageId: 'm1', content: 'B', subject: 'company:3' }), []);
    await store.quarantine(sampleRejection({ body: bytes('a'), subject: 'company:3' }));
    await store.quarantine(sampleRejection({ body: bytes('b'), subject: 'company:30' }));
    await store.quarantine(sampleRejection({ body: bytes('c') }));

    const filter = { subject: { family: 'company', id: '3' } };
    const found = await store.quarantined(filter, { order: 'oldest', limit: 10 });
    expect(found.map(({ id, reason }) => [id, reason])).toEqual([
      ['q1', 'conflict'],
      ['q2', 'invalid'],
    ]);
    expect(await store.countEntries(filter)).toBe(2);
  });

  test('stores whether the message id is trusted', async () => {
    const fixture = await openFixture(kind);
    for (const messageIdTrusted of [true, false])
      await fixture.store.quarantine(
        sampleRejection({ body: bytes(String(messageIdTrusted)), messageId: 'm1', messageIdTrusted }),
      );

    expect(await fixture.store.quarantinedDelivery('q1')).toMatchObject({ messageIdTrusted: true });
    expect(await fixture.store.quarantinedDelivery('q2')).toMatchObject({ messageIdTrusted: false });
  });

  test('counts the same bytes from the same source while the entry is held', async () => {
    const fixture = await openFixture(kind);
    const body = bytes('{');
    await fixture.store.quarantine(sampleRejection({ body, receivedAt: 1 }));

    expect(await fixture.store.quarantine(sampleRejection({ body, receivedAt: 2 }))).toEqual({
      id: 'q1',
      stored: true,
      repeat: true,
      dropped: 0,
    });
    expect(await fixture.store.quarantine(sampleRejection({ body, source: 'branch' }))).toMatchObject({
      id: 'q2',
      stored: true,
      repeat: false,
    });
    await fixture.store.quarantine(sampleRejection({ body, receivedAt: 1 }));
    expect(
      await fixture.store.quarantinedDelivery('q1'),
      'a clock that was set back makes it no older',
    ).toMatchObject({ repeats: 2, lastRepeatAt: 2 });
  });

  test('a release stores the event and marks the entry in one transaction', async () => {
    const fixture = await openFixture(kind);
    await fixture.store.quarantine(sampleRejection());

    const released = await fixture.store.accept(sampleEvent({ content: 'A' }), [route('anyone')], {
      releases: 'q1',
    });

    expect(released).toMatchObject({ status: 'stored', verdict: 'new', flags: ['released'] });
    expect(await fixture.store.quarantinedDelivery('q1')).toMatchObject({
      status: 'released',
      eventId: released.id,
    });
    expect(await fixture.claim()).toHaveLength(1);
  });

  test('holds the same bytes again after a release', async () => {
    const fixture = await openFixture(kind);
    await fixture.store.quarantine(sampleRejection());
    await fixture.store.accept(sampleEvent(), [], { releases: 'q1' });

    expect(await fixture.store.quarantine(sampleRejection())).toEqual({
      id: 'q2',
      stored: true,
      repeat: false,
      dropped: 0,
    });
  });

  test('releasing a stored event counts no repeat', async () => {
    const fixture = await openFixture(kind);
    const event = sampleEvent({ content: 'A' });
    const first = await fixture.store.accept(event, []);
    await fixture.store.quarantine(sampleRejection());

    expect(await fixture.store.accept(event, [], { releases: 'q1' })).toEqual({
      status: 'duplicate',
      id: first.id,
    });
    expect(await fixture.store.event(first.id)).toMatchObject({ repeats: 0 });
    expect(await fixture.store.quarantinedDelivery('q1')).toMatchObject({
      status: 'released',
      eventId: first.id,
    });
  });

  test('releasing twice stores the event once, even if its content would be ambiguous', async () => {
    const fixture = await openFixture(kind);
    await fixture.store.quarantine(sampleRejection());
    const release = () => fixture.store.accept(sampleEvent({ content: 'A' }), [], { releases: 'q1' });
    const first = await release();
    await fixture.stored({ content: 'B' });

    expect(await release()).toEqual({ status: 'duplicate', id: first.id });
  });

  test('a conflict released without a change stays held', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ content: 'A', messageId: 'm1' });
    await fixture.accept({ content: 'B', messageId: 'm1' });

    const again = await fixture.store.accept(sampleEvent({ content: 'B', messageId: 'm1' }), [], {
      releases: 'q1',
    });

    expect(again).toEqual({ status: 'conflict', id: first, quarantineId: 'q1', dropped: 0 });
    expect(await fixture.store.quarantinedDelivery('q1')).toMatchObject({ status: 'held', repeats: 0 });
    expect(await fixture.store.event(first)).toMatchObject({ repeats: 1 });
  });

  test('rejects the release of an unknown entry, and stores nothing', async () => {
    const fixture = await openFixture(kind);

    const release = fixture.store.accept(sampleEvent(), [], { releases: 'q7' });

    await expect(release).rejects.toMatchObject({ code: 'not-found' });
    expect(await fixture.store.events({}, { order: 'oldest', limit: 1 })).toEqual([]);
  });

  test('lists entries by filter, in pages', async () => {
    const fixture = await openFixture(kind);
    for (const [index, reason] of (['invalid', 'malformed', 'invalid'] as const).entries()) {
      await fixture.store.quarantine(
        sampleRejection({ body: bytes(String(index)), reason, kind: `k${String(index)}` }),
      );
    }
    await fixture.store.accept(sampleEvent(), [], { releases: 'q3' });
    const list = async (filter: Parameters<typeof fixture.store.quarantined>[0], after?: string) => {
      const page = { order: 'newest', limit: 2, ...(after === undefined ? {} : { after }) } as const;
      return (await fixture.store.quarantined(filter, page)).map(({ id }) => id);
    };

    expect(await list({})).toEqual(['q3', 'q2']);
    expect(await list({}, 'q2')).toEqual(['q1']);
    expect(await list({ reason: 'invalid' })).toEqual(['q3', 'q1']);
    expect(await list({ status: 'held' })).toEqual(['q2', 'q1']);
    expect(await list({ kind: 'k1' })).toEqual(['q2']);
    expect(await list({ ids: ['q1', 'nonsense'] })).toEqual(['q1']);
    expect(await list({ source: 'elsewhere' })).toEqual([]);
    expect(await fixture.store.quarantinedDelivery('q9')).toBeNull();
  });
}
