import { expect, test } from 'vitest';
import { openDesk } from './desk.ts';
import type { StoreKind } from './store-place.ts';

/** Senders that give their messages ids. */
export function messageIdRules(kind: StoreKind): void {
  test('the same message is a duplicate, whatever came since', async () => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ content: 'A', messageId: 'm1' });
    await desk.stored({ content: 'B', messageId: 'm2' });

    expect(await desk.accept({ content: 'A', messageId: 'm1' })).toEqual({ status: 'duplicate', id: first });
  });

  test.each([
    ['as it is known, without a version', { content: 'A' }],
    ['at a known version', { content: 'A', version: '1' }],
  ])('a record %s, in another message or in none, is a duplicate', async (_, record) => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ ...record, messageId: 'm1' });

    const answers = [await desk.accept({ ...record, messageId: 'm2' }), await desk.accept(record)];

    expect(answers).toEqual([
      { status: 'duplicate', id: first },
      { status: 'duplicate', id: first },
    ]);
    expect(await desk.store.event(first)).toMatchObject({ repeats: 2, messageId: 'm1' });
  });

  test('a known version is a duplicate in another message also when a later one is known', async () => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ content: 'A', version: '1', messageId: 'm1' });
    await desk.stored({ content: 'B', version: '2', messageId: 'm2' });

    const late = await desk.accept({ content: 'A', version: '1', messageId: 'm3' });

    expect(late).toEqual({ status: 'duplicate', id: first });
  });

  test('a record without a version that returns in another message is another event, not in doubt', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ content: 'A', messageId: 'm1' });
    await desk.stored({ content: 'B', messageId: 'm2' });

    expect(await desk.accept({ content: 'A', messageId: 'm3' })).toMatchObject({ verdict: 'new', flags: [] });
  });

  test('a kind that nobody knows says something with each message', async () => {
    const desk = await openDesk(kind);
    const ping = { kind: 'ping.sent', recognized: false, content: 'A' };
    await desk.stored({ ...ping, messageId: 'm1' });

    expect(await desk.accept({ ...ping, messageId: 'm2' })).toMatchObject({ verdict: 'new' });
  });

  test('an id that nobody vouches for is kept, and decides nothing', async () => {
    const desk = await openDesk(kind);
    const unsigned = { messageIdTrusted: false };
    const first = await desk.stored({ content: 'A', messageId: 'm1', ...unsigned });
    await desk.stored({ content: 'B', messageId: 'm1', ...unsigned });

    expect(await desk.accept({ content: 'A', messageId: 'm2', ...unsigned })).toMatchObject({
      verdict: 'ambiguous',
      flags: ['ambiguous'],
    });
    expect(await desk.store.event(first)).toMatchObject({ messageId: 'm1', messageIdTrusted: false });
    // Nor does it take the id from a sender who is believed.
    expect(await desk.accept({ content: 'C', messageId: 'm1' })).toMatchObject({ verdict: 'new' });
  });

  test('the same id from another source is another message', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ content: 'A', messageId: 'm1' });

    const other = await desk.accept({ content: 'A', messageId: 'm1', source: 'branch' });

    expect(other).toMatchObject({ verdict: 'new' });
  });

  test.each([
    ['of the same subject', { content: 'B' }],
    ['of another subject', { content: 'A', subject: 'company:2' }],
  ])('an id used again for another content %s is a conflict, kept in quarantine', async (_, other) => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ content: 'A', messageId: 'm1' });

    const conflict = await desk.accept({ ...other, messageId: 'm1' });

    expect(conflict).toEqual({ status: 'conflict', id: first, quarantineId: 'q1', dropped: 0 });
    expect(await desk.store.event(first)).toMatchObject({ repeats: 1 });
    const held = await desk.store.quarantinedDelivery('q1');
    expect(held).toMatchObject({ reason: 'conflict', status: 'held', messageId: 'm1', repeats: 0 });
    expect(new TextDecoder().decode(held?.body)).toContain(`"content":"${other.content}"`);
  });

  test('a conflict that comes again is counted on the first', async () => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ content: 'A', messageId: 'm1' });
    await desk.accept({ content: 'B', messageId: 'm1' });

    await desk.accept({ content: 'B', messageId: 'm1' });

    expect(await desk.store.event(first)).toMatchObject({ repeats: 2 });
    expect(await desk.store.quarantined({}, { order: 'oldest', limit: 10 })).toMatchObject([
      { id: 'q1', repeats: 1 },
    ]);
  });
}
