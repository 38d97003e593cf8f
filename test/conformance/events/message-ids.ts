import { expect, test } from 'vitest';
import { openFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';

/** Deduplication by message id. */
export function messageIdRules(kind: StoreKind): void {
  test('the same message id and content is a duplicate, whatever was stored since', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ content: 'A', messageId: 'm1' });
    await fixture.stored({ content: 'B', messageId: 'm2' });

    expect(await fixture.accept({ content: 'A', messageId: 'm1' })).toEqual({
      status: 'duplicate',
      id: first,
    });
  });

  test.each([
    ['as it is known, without a version', { content: 'A' }],
    ['at a known version', { content: 'A', version: '1' }],
  ])('a record %s, in another message or in none, is a duplicate', async (_, record) => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ ...record, messageId: 'm1' });

    const answers = [await fixture.accept({ ...record, messageId: 'm2' }), await fixture.accept(record)];

    expect(answers).toEqual([
      { status: 'duplicate', id: first },
      { status: 'duplicate', id: first },
    ]);
    expect(await fixture.store.event(first)).toMatchObject({ repeats: 2, messageId: 'm1' });
  });

  test('the last repeat of an event is the latest by the clock, which may be set back', async () => {
    const fixture = await openFixture(kind);
    const id = await fixture.stored({ content: 'A', version: '1' });
    fixture.clock.advance(5_000);
    await fixture.accept({ content: 'A', version: '1' });
    const lastRepeatAt = fixture.clock.now();
    fixture.clock.jump(-3_000);
    await fixture.accept({ content: 'A', version: '1' });

    expect(await fixture.store.event(id)).toMatchObject({ repeats: 2, lastRepeatAt });
  });

  test('a known version under a new message id is a duplicate, even behind a later version', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ content: 'A', version: '1', messageId: 'm1' });
    await fixture.stored({ content: 'B', version: '2', messageId: 'm2' });

    const late = await fixture.accept({ content: 'A', version: '1', messageId: 'm3' });

    expect(late).toEqual({ status: 'duplicate', id: first });
  });

  test('content without a version that returns under a new message id is new, not ambiguous', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'A', messageId: 'm1' });
    await fixture.stored({ content: 'B', messageId: 'm2' });

    expect(await fixture.accept({ content: 'A', messageId: 'm3' })).toMatchObject({
      verdict: 'new',
      flags: [],
    });
  });

  test('each message id of an unknown kind is an event', async () => {
    const fixture = await openFixture(kind);
    const ping = { kind: 'ping.sent', recognized: false, content: 'A' };
    await fixture.stored({ ...ping, messageId: 'm1' });

    expect(await fixture.accept({ ...ping, messageId: 'm2' })).toMatchObject({ verdict: 'new' });
  });

  test('stores an untrusted message id, which decides nothing', async () => {
    const fixture = await openFixture(kind);
    const unsigned = { messageIdTrusted: false };
    const first = await fixture.stored({ content: 'A', messageId: 'm1', ...unsigned });
    await fixture.stored({ content: 'B', messageId: 'm1', ...unsigned });

    expect(await fixture.accept({ content: 'A', messageId: 'm2', ...unsigned })).toMatchObject({
      verdict: 'ambiguous',
      flags: ['ambiguous'],
    });
    expect(await fixture.store.event(first)).toMatchObject({ messageId: 'm1', messageIdTrusted: false });
    // The same id of a trusted sender is still free.
    expect(await fixture.accept({ content: 'C', messageId: 'm1' })).toMatchObject({ verdict: 'new' });
  });

  test('the same message id from another source is another message', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'A', messageId: 'm1' });

    const other = await fixture.accept({ content: 'A', messageId: 'm1', source: 'branch' });

    expect(other).toMatchObject({ verdict: 'new' });
  });

  test.each([
    ['of the same subject', { content: 'B' }],
    ['of another subject', { content: 'A', subject: 'company:2' }],
  ])('an id used again for another content %s is a conflict, kept in quarantine', async (_, other) => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ content: 'A', messageId: 'm1' });

    const conflict = await fixture.accept({ ...other, messageId: 'm1' });

    expect(conflict).toEqual({ status: 'conflict', id: first, quarantineId: 'q1', dropped: 0 });
    expect(await fixture.store.event(first)).toMatchObject({ repeats: 1 });
    const held = await fixture.store.quarantinedDelivery('q1');
    expect(held).toMatchObject({ reason: 'conflict', status: 'held', messageId: 'm1', repeats: 0 });
    expect(new TextDecoder().decode(held?.body)).toContain(`"content":"${other.content}"`);
  });

  test('counts a repeated conflict on its entry', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ content: 'A', messageId: 'm1' });
    await fixture.accept({ content: 'B', messageId: 'm1' });

    await fixture.accept({ content: 'B', messageId: 'm1' });

    expect(await fixture.store.event(first)).toMatchObject({ repeats: 2 });
    expect(await fixture.store.quarantined({}, { order: 'oldest', limit: 10 })).toMatchObject([
      { id: 'q1', repeats: 1 },
    ]);
  });
}
