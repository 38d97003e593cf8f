import { expect, test } from 'vitest';
import { openDesk } from './desk.ts';
import { bytes, route, sampleEvent, type EventSketch } from './sample-event.ts';
import type { StoreKind } from './store-place.ts';

/** How events stand to what is known of their subject. */
export function verdictRules(kind: StoreKind): void {
  test('an event never seen is new', async () => {
    const desk = await openDesk(kind);

    const acceptance = await desk.accept({ content: 'A', flags: ['check-digits'] });

    expect(acceptance).toEqual({
      status: 'stored',
      id: expect.stringMatching(/^[0-9a-hjkmnp-tv-z]{6}-1$/),
      verdict: 'new',
      flags: ['check-digits'],
      pending: 1,
    });
  });

  test('what equals the latest is a duplicate, counted on the first', async () => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ content: 'A' });

    desk.clock.advance(5_000);
    const again = await desk.accept({ content: 'A' });

    expect(again).toEqual({ status: 'duplicate', id: first });
    expect(await desk.store.event(first)).toMatchObject({ repeats: 1, lastRepeatAt: desk.clock.now() });
    expect(await desk.claim()).toHaveLength(1);
  });

  test('copied from an export, a reception that is stored is a duplicate and counts for nothing', async () => {
    const desk = await openDesk(kind);
    const at = desk.clock.now();
    const receptions = [
      { content: 'A', receivedAt: at },
      { content: 'B', receivedAt: at + 1 },
      { content: 'A', receivedAt: at + 2 },
      { content: 'A', receivedAt: at + 3, subject: 'company:2', version: '1' },
      { content: 'A', receivedAt: at + 4, subject: 'company:3', messageId: 'm' },
    ];
    const copy = (sketch: EventSketch) => desk.store.accept(sampleEvent(sketch), [], { copied: true });
    const ids: string[] = [];
    for (const reception of receptions) ids.push(await desk.stored(reception));

    for (const [index, reception] of receptions.entries())
      expect(await copy(reception)).toEqual({ status: 'duplicate', id: ids[index] });
    expect(await desk.store.statistics()).toMatchObject({ events: 5, repeats: 0 });

    // Another millisecond, other bytes, another source, or off the wire: as ever.
    expect(await copy({ content: 'B', receivedAt: at + 9 })).toMatchObject({ verdict: 'ambiguous' });
    expect(await copy({ content: 'B', receivedAt: at + 1, body: bytes(' ') })).toMatchObject({
      status: 'duplicate',
    });
    expect(await copy({ content: 'A', receivedAt: at, source: 'branch' })).toMatchObject({ verdict: 'new' });
    expect(await desk.accept({ content: 'A', receivedAt: at })).toMatchObject({ verdict: 'ambiguous' });
    expect(await desk.store.statistics()).toMatchObject({ events: 8, repeats: 1 });
  });

  test('what was seen before at a known version is a duplicate, however old', async () => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ content: 'A', version: '1' });
    await desk.stored({ content: 'B', version: '2' });

    expect(await desk.accept({ content: 'A', version: '1' })).toEqual({ status: 'duplicate', id: first });
  });

  test('an older version is stale, stored, and does not become the latest', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ content: 'new', version: '2' });

    expect(await desk.accept({ content: 'old', version: '1' })).toMatchObject({ verdict: 'stale' });
    expect(await desk.accept({ content: 'between', version: '1.5' })).toMatchObject({ verdict: 'stale' });
    expect(await desk.accept({ content: 'newest', version: '3' })).toMatchObject({ verdict: 'new' });
  });

  test('a repeat of a stale event is its duplicate', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ content: 'new', version: '2' });
    const stale = await desk.stored({ content: 'old', version: '1' });

    expect(await desk.accept({ content: 'old', version: '1' })).toEqual({ status: 'duplicate', id: stale });
  });

  test('an equal version with another content is new', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ content: 'A', version: '2' });

    expect(await desk.accept({ content: 'B', version: '2' })).toMatchObject({ verdict: 'new' });
  });

  test('after a tombstone an older update is stale', async () => {
    const desk = await openDesk(kind);
    const subject = 'console-user:ab';
    await desk.stored({ subject, kind: 'console-user.deleted', content: 'gone', version: '5' });

    const late = await desk.accept({ subject, kind: 'console-user.updated', content: 'late', version: '4' });

    expect(late).toMatchObject({ verdict: 'stale' });
  });

  test('A, B, A without versions: the second A is ambiguous, stored and delivered', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ content: 'A' });
    await desk.stored({ content: 'B' });

    const third = await desk.accept({ content: 'A' });

    expect(third).toMatchObject({
      status: 'stored',
      verdict: 'ambiguous',
      flags: ['ambiguous'],
      pending: 1,
    });
  });

  test('A, B, A, A without versions: the last is a duplicate of the newest A', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ content: 'A' });
    await desk.stored({ content: 'B' });
    const second = await desk.stored({ content: 'A' });

    expect(await desk.accept({ content: 'A' })).toEqual({ status: 'duplicate', id: second });
    expect(await desk.accept({ content: 'B' })).toMatchObject({ verdict: 'ambiguous' });
  });

  test('an event without a version keeps the version that is known', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ content: 'A', version: '2' });
    expect(await desk.accept({ content: 'B', version: null })).toMatchObject({ verdict: 'new' });

    expect(await desk.accept({ content: 'C', version: '1' })).toMatchObject({ verdict: 'stale' });
    expect(await desk.accept({ content: 'B', version: null })).toMatchObject({ status: 'duplicate' });
  });

  test('an unrecognized event neither disturbs versions nor is it ever stale', async () => {
    const desk = await openDesk(kind);
    const unrecognized = { recognized: false, kind: 'company.renamed', flags: ['unrecognized'] } as const;
    await desk.stored({ content: 'A', version: '2' });

    expect(await desk.accept({ ...unrecognized, content: 'U' })).toMatchObject({
      verdict: 'new',
      flags: ['unrecognized'],
    });
    expect(await desk.accept({ ...unrecognized, content: 'U' })).toMatchObject({ status: 'duplicate' });
    expect(await desk.accept({ content: 'A', version: '2' })).toMatchObject({ status: 'duplicate' });
    expect(await desk.accept({ content: 'old', version: '1' })).toMatchObject({ verdict: 'stale' });
  });

  test('subjects of different families, ids and sources do not mix', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ subject: 'company:12', content: 'A', version: '9' });

    for (const other of [
      { subject: 'user-login:12' },
      { subject: 'company:13' },
      { subject: 'company:12', source: 'branch' },
    ]) {
      expect(await desk.accept({ ...other, content: 'B', version: '1' })).toMatchObject({ verdict: 'new' });
    }
  });

  test('stale events are recorded as skipped for handlers that do not want them', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ content: 'new', version: '2' }, []);

    const acceptance = await desk.accept({ content: 'old', version: '1' }, [
      route('latest-only'),
      route('everything', { stale: true }),
    ]);

    expect(acceptance).toMatchObject({ verdict: 'stale', pending: 1 });
    const deliveries = await desk.store.deliveries({}, { order: 'oldest', limit: 10 });
    expect(deliveries).toMatchObject([
      { handler: 'latest-only', status: 'skipped', lastError: 'stale', finishedAt: desk.clock.now() },
      { handler: 'everything', status: 'pending', lastError: null, finishedAt: null },
    ]);
  });
}
