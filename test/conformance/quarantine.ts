import { expect, test } from 'vitest';
import { openDesk } from './desk.ts';
import { bytes, sampleEvent, sampleRejection, route } from './sample-event.ts';
import type { StoreKind } from './store-place.ts';

/** What is verified and no event is kept, and can be let through later. */
export function quarantineRules(kind: StoreKind): void {
  test('a rejected delivery is kept whole', async () => {
    const desk = await openDesk(kind);
    const body = Uint8Array.from({ length: 256 }, (_, value) => value);
    const rejected = sampleRejection({ body, headers: { 'x-a': 'b' }, messageId: 'm1', receivedAt: 7 });

    expect(await desk.store.quarantine(rejected)).toEqual({
      id: 'q1',
      held: true,
      repeat: false,
      dropped: 0,
    });

    expect(await desk.store.quarantinedDelivery('q1')).toEqual({
      id: 'q1',
      source: 'default',
      status: 'held',
      reason: 'invalid',
      kind: 'company.updated',
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
    });
  });

  test('whether the message id can be trusted is kept with it', async () => {
    const desk = await openDesk(kind);
    for (const messageIdTrusted of [true, false])
      await desk.store.quarantine(
        sampleRejection({ body: bytes(String(messageIdTrusted)), messageId: 'm1', messageIdTrusted }),
      );

    expect(await desk.store.quarantinedDelivery('q1')).toMatchObject({ messageIdTrusted: true });
    expect(await desk.store.quarantinedDelivery('q2')).toMatchObject({ messageIdTrusted: false });
  });

  test('the same bytes from the same source are counted while they are held', async () => {
    const desk = await openDesk(kind);
    const body = bytes('{');
    await desk.store.quarantine(sampleRejection({ body, receivedAt: 1 }));

    expect(await desk.store.quarantine(sampleRejection({ body, receivedAt: 2 }))).toEqual({
      id: 'q1',
      held: true,
      repeat: true,
      dropped: 0,
    });
    expect(await desk.store.quarantine(sampleRejection({ body, source: 'branch' }))).toMatchObject({
      id: 'q2',
      held: true,
      repeat: false,
    });
    expect(await desk.store.quarantinedDelivery('q1')).toMatchObject({ repeats: 1, lastRepeatAt: 2 });
  });

  test('a release stores the event and marks the entry, in one step', async () => {
    const desk = await openDesk(kind);
    await desk.store.quarantine(sampleRejection());

    const released = await desk.store.accept(sampleEvent({ content: 'A' }), [route('anyone')], {
      releases: 'q1',
    });

    expect(released).toMatchObject({ status: 'stored', verdict: 'new', flags: ['released'] });
    expect(await desk.store.quarantinedDelivery('q1')).toMatchObject({
      status: 'released',
      eventId: released.id,
    });
    expect(await desk.claim()).toHaveLength(1);
  });

  test('after a release the same bytes are held anew', async () => {
    const desk = await openDesk(kind);
    await desk.store.quarantine(sampleRejection());
    await desk.store.accept(sampleEvent(), [], { releases: 'q1' });

    expect(await desk.store.quarantine(sampleRejection())).toEqual({
      id: 'q2',
      held: true,
      repeat: false,
      dropped: 0,
    });
  });

  test('releasing what is an event already counts no repeat', async () => {
    const desk = await openDesk(kind);
    const event = sampleEvent({ content: 'A' });
    const first = await desk.store.accept(event, []);
    await desk.store.quarantine(sampleRejection());

    expect(await desk.store.accept(event, [], { releases: 'q1' })).toEqual({
      status: 'duplicate',
      id: first.id,
    });
    expect(await desk.store.event(first.id)).toMatchObject({ repeats: 0 });
    expect(await desk.store.quarantinedDelivery('q1')).toMatchObject({
      status: 'released',
      eventId: first.id,
    });
  });

  test('releasing twice stores once, even where the content would be ambiguous', async () => {
    const desk = await openDesk(kind);
    await desk.store.quarantine(sampleRejection());
    const release = () => desk.store.accept(sampleEvent({ content: 'A' }), [], { releases: 'q1' });
    const first = await release();
    await desk.stored({ content: 'B' });

    expect(await release()).toEqual({ status: 'duplicate', id: first.id });
  });

  test('releasing a conflict as it was leaves it held', async () => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ content: 'A', messageId: 'm1' });
    await desk.accept({ content: 'B', messageId: 'm1' });

    const again = await desk.store.accept(sampleEvent({ content: 'B', messageId: 'm1' }), [], {
      releases: 'q1',
    });

    expect(again).toEqual({ status: 'conflict', id: first, quarantineId: 'q1', dropped: 0 });
    expect(await desk.store.quarantinedDelivery('q1')).toMatchObject({ status: 'held', repeats: 0 });
    expect(await desk.store.event(first)).toMatchObject({ repeats: 1 });
  });

  test('releasing what is not there is an error and stores nothing', async () => {
    const desk = await openDesk(kind);

    const release = desk.store.accept(sampleEvent(), [], { releases: 'q7' });

    await expect(release).rejects.toMatchObject({ code: 'not-found' });
    expect(await desk.store.events({}, { order: 'oldest', limit: 1 })).toEqual([]);
  });

  test('entries are listed by what is asked for, in pages', async () => {
    const desk = await openDesk(kind);
    for (const [index, reason] of (['invalid', 'malformed', 'invalid'] as const).entries()) {
      await desk.store.quarantine(
        sampleRejection({ body: bytes(String(index)), reason, kind: `k${String(index)}` }),
      );
    }
    await desk.store.accept(sampleEvent(), [], { releases: 'q3' });
    const list = async (filter: Parameters<typeof desk.store.quarantined>[0], after?: string) => {
      const page = { order: 'newest', limit: 2, ...(after === undefined ? {} : { after }) } as const;
      return (await desk.store.quarantined(filter, page)).map(({ id }) => id);
    };

    expect(await list({})).toEqual(['q3', 'q2']);
    expect(await list({}, 'q2')).toEqual(['q1']);
    expect(await list({ reason: 'invalid' })).toEqual(['q3', 'q1']);
    expect(await list({ status: 'held' })).toEqual(['q2', 'q1']);
    expect(await list({ kind: 'k1' })).toEqual(['q2']);
    expect(await list({ ids: ['q1', 'nonsense'] })).toEqual(['q1']);
    expect(await list({ source: 'elsewhere' })).toEqual([]);
    expect(await desk.store.quarantinedDelivery('q9')).toBeNull();
  });
}
