import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { openFixture } from '../store-fixture.ts';
import { bytes, route, sampleEvent, type EventSketch } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';

/** The verdicts of events. */
export function verdictRules(kind: StoreKind): void {
  test('a first event is new', async () => {
    const fixture = await openFixture(kind);

    const acceptance = await fixture.accept({ content: 'A', flags: ['check-digits'] });

    expect(acceptance).toEqual({
      status: 'stored',
      id: expect.stringMatching(/^[0-9a-hjkmnp-tv-z]{6}-1$/),
      verdict: 'new',
      flags: ['check-digits'],
      pending: 1,
    });
  });

  test('the content of the latest event again is a duplicate, counted on that event', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ content: 'A' });

    fixture.clock.advance(5_000);
    const again = await fixture.accept({ content: 'A' });

    expect(again).toEqual({ status: 'duplicate', id: first });
    expect(await fixture.store.event(first)).toMatchObject({ repeats: 1, lastRepeatAt: fixture.clock.now() });
    expect(await fixture.claim()).toHaveLength(1);
  });

  test('importing the copy of a stored event is a duplicate, and counts no repeat', async () => {
    const fixture = await openFixture(kind);
    const at = fixture.clock.now();
    const receptions = [
      { content: 'A', receivedAt: at },
      { content: 'B', receivedAt: at + 1 },
      { content: 'A', receivedAt: at + 2 },
      { content: 'A', receivedAt: at + 3, subject: 'company:2', version: '1' },
      { content: 'A', receivedAt: at + 4, subject: 'company:3', messageId: 'm' },
    ];
    const copy = (sketch: EventSketch) => fixture.store.accept(sampleEvent(sketch), [], { copied: true });
    const ids: string[] = [];
    for (const reception of receptions) ids.push(await fixture.stored(reception));

    for (const [index, reception] of receptions.entries())
      expect(await copy(reception)).toEqual({ status: 'duplicate', id: ids[index] });
    expect(await fixture.store.statistics()).toMatchObject({ events: 5, repeats: 0 });

    // Another millisecond, other bytes, another source, or no import: not a copy.
    expect(await copy({ content: 'B', receivedAt: at + 9 })).toMatchObject({ verdict: 'ambiguous' });
    expect(await copy({ content: 'B', receivedAt: at + 1, body: bytes(' ') })).toMatchObject({
      status: 'duplicate',
    });
    expect(await copy({ content: 'A', receivedAt: at, source: 'branch' })).toMatchObject({ verdict: 'new' });
    expect(await fixture.accept({ content: 'A', receivedAt: at })).toMatchObject({ verdict: 'ambiguous' });
    expect(await fixture.store.statistics()).toMatchObject({ events: 8, repeats: 1 });
  });

  test('the content of a known version again is a duplicate, however old', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ content: 'A', version: '1' });
    await fixture.stored({ content: 'B', version: '2' });

    expect(await fixture.accept({ content: 'A', version: '1' })).toEqual({ status: 'duplicate', id: first });
  });

  test('an older version is stale: it is stored and does not become the latest', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'new', version: '2' });

    expect(await fixture.accept({ content: 'old', version: '1' })).toMatchObject({ verdict: 'stale' });
    expect(await fixture.accept({ content: 'between', version: '1.5' })).toMatchObject({ verdict: 'stale' });
    expect(await fixture.accept({ content: 'newest', version: '3' })).toMatchObject({ verdict: 'new' });
  });

  test('a repeat of a stale event is a duplicate of it', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'new', version: '2' });
    const stale = await fixture.stored({ content: 'old', version: '1' });

    expect(await fixture.accept({ content: 'old', version: '1' })).toEqual({
      status: 'duplicate',
      id: stale,
    });
  });

  test('an equal version with other content is new', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'A', version: '2' });

    expect(await fixture.accept({ content: 'B', version: '2' })).toMatchObject({ verdict: 'new' });
  });

  test('after a tombstone an older update is stale', async () => {
    const fixture = await openFixture(kind);
    const subject = 'console-user:ab';
    await fixture.stored({ subject, kind: 'console-user.deleted', content: 'gone', version: '5' });

    const late = await fixture.accept({
      subject,
      kind: 'console-user.updated',
      content: 'late',
      version: '4',
    });

    expect(late).toMatchObject({ verdict: 'stale' });
  });

  test('A, B, A without versions: the second A is ambiguous, stored and delivered', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'A' });
    await fixture.stored({ content: 'B' });

    const third = await fixture.accept({ content: 'A' });

    expect(third).toMatchObject({
      status: 'stored',
      verdict: 'ambiguous',
      flags: ['ambiguous'],
      pending: 1,
    });
  });

  test('A, B, A, A without versions: the last A is a duplicate of the second', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'A' });
    await fixture.stored({ content: 'B' });
    const second = await fixture.stored({ content: 'A' });

    expect(await fixture.accept({ content: 'A' })).toEqual({ status: 'duplicate', id: second });
    expect(await fixture.accept({ content: 'B' })).toMatchObject({ verdict: 'ambiguous' });
  });

  test('an event without a version leaves the known version unchanged', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'A', version: '2' });
    expect(await fixture.accept({ content: 'B', version: null })).toMatchObject({ verdict: 'new' });

    expect(await fixture.accept({ content: 'C', version: '1' })).toMatchObject({ verdict: 'stale' });
    expect(await fixture.accept({ content: 'B', version: null })).toMatchObject({ status: 'duplicate' });
  });

  test('an unrecognized event is never stale, and changes no version', async () => {
    const fixture = await openFixture(kind);
    const unrecognized = { recognized: false, kind: 'company.renamed', flags: ['unrecognized'] } as const;
    await fixture.stored({ content: 'A', version: '2' });

    expect(await fixture.accept({ ...unrecognized, content: 'U' })).toMatchObject({
      verdict: 'new',
      flags: ['unrecognized'],
    });
    expect(await fixture.accept({ ...unrecognized, content: 'U' })).toMatchObject({ status: 'duplicate' });
    expect(await fixture.accept({ content: 'A', version: '2' })).toMatchObject({ status: 'duplicate' });
    expect(await fixture.accept({ content: 'old', version: '1' })).toMatchObject({ verdict: 'stale' });
  });

  test('keeps subjects of different families, ids and sources apart', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ subject: 'company:12', content: 'A', version: '9' });

    for (const other of [
      { subject: 'user-login:12' },
      { subject: 'company:13' },
      { subject: 'company:12', source: 'branch' },
    ]) {
      expect(await fixture.accept({ ...other, content: 'B', version: '1' })).toMatchObject({
        verdict: 'new',
      });
    }
  });

  test('stores stale events as skipped for handlers that do not take them', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'new', version: '2' }, []);

    const acceptance = await fixture.accept({ content: 'old', version: '1' }, [
      route('latest-only'),
      route('everything', { stale: true }),
    ]);

    expect(acceptance).toMatchObject({ verdict: 'stale', pending: 1 });
    const deliveries = await fixture.store.deliveries({}, { order: 'oldest', limit: 10 });
    expect(deliveries).toMatchObject([
      { handler: 'latest-only', status: 'skipped', lastError: 'stale', finishedAt: fixture.clock.now() },
      { handler: 'everything', status: 'pending', lastError: null, finishedAt: null },
    ]);
  });

  test('stores and finds subjects and unknown kinds with names of any length', async () => {
    const { store, stored, accept, claimOne } = await openFixture(kind);
    // Text that does not compress.
    const long = createHash('shake256', { outputLength: 50_000 }).update('long').digest('hex');
    const sketch = { kind: `${long}.sent`, recognized: false, content: 'A' };
    const subject = { family: long, id: long };

    const id = await stored({ ...sketch, subject: `${long}:${long}` });
    const others = [`${long}:${long}1`, `${long}1:${long}`, `company:${long}`];
    for (const other of others) await stored({ ...sketch, subject: other }, []);

    expect(await accept({ ...sketch, subject: `${long}:${long}` })).toEqual({ status: 'duplicate', id });
    expect((await claimOne()).event).toMatchObject({ kind: sketch.kind, subject });
    expect(await store.events({ subject }, { order: 'oldest', limit: 9 })).toMatchObject([
      { id, repeats: 1 },
    ]);
    await store.hold([subject, { ...subject, id: `${long}1` }, subject], {
      reason: 'case 1',
      placedBy: 'ana',
    });
    expect(await store.holds()).toHaveLength(2);
    const run = await store.uncountedArrivals(10);
    expect(await store.recordMonitoring({ record: 'arrivals', ...run })).toBe(true);
    const { received } = await store.monitoring();
    expect(received.reduce((sum, { events }) => sum + events, 0)).toBe(4);
  });
}
