import { expect, test } from 'vitest';
import { parseSubjectName } from '../../../src/event/subject.ts';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import { route, sampleEvent, type EventSketch } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';

const unknown = { kind: 'company.archived', recognized: false, flags: ['unrecognized'] } as const;

function recognize(fixture: StoreFixture, id: string, sketch: EventSketch, routes = [route('typed')]) {
  return fixture.store.recognize(id, sampleEvent({ kind: unknown.kind, ...sketch }), routes);
}

async function history(fixture: StoreFixture, name: string): Promise<readonly string[]> {
  const subject = parseSubjectName(name);
  if (subject === undefined) throw new Error('no subject');
  const { events } = await fixture.store.versionOrder({ source: 'default', subject });
  return Array.from(events, (number) => `${fixture.store.storeId}-${String(number)}`);
}

/** Events that came before their kind was defined. */
export function recognitionRules(kind: StoreKind): void {
  test('given an event of a kind that is defined now, then it is recognized where and when it came', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ ...unknown, content: 'A', subject: 'company:guess' }, []);
    fixture.clock.advance(5_000);
    expect(await fixture.store.unrecognizedKinds()).toEqual([{ kind: unknown.kind, events: 1 }]);

    const found = await recognize(fixture, first, { content: 'A', subject: 'archive:7', version: '2' });

    expect(found).toEqual({ status: 'recognized', verdict: 'new', pending: 1 });
    expect(await fixture.store.event(first)).toMatchObject({
      ...{ id: first, recognized: true, version: '2', verdict: 'new', flags: [] },
      ...{ receivedAt: fixture.clock.now() - 5_000, subject: { family: 'archive', id: '7' } },
    });
    expect(await history(fixture, 'archive:7')).toEqual([first]);
    expect(await history(fixture, 'company:guess')).toEqual([]);
    const delivery = await fixture.claimOne({ handlers: ['typed'] });
    expect(delivery).toMatchObject({ event: { id: first, recognized: true } });
    expect(await fixture.store.statistics()).toMatchObject({ events: 1, unrecognized: 0 });
    const subjects = await fixture.store.subjects({}, { limit: 9 });
    expect(subjects.map(({ id, subject, events }) => [id, subject.id, events])).toEqual([[first, '7', 1]]);
    expect(await fixture.store.unrecognizedKinds()).toEqual([]);
  });

  test('a repeat of a recognized event is a duplicate, and a second recognition finds nothing', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ ...unknown, content: 'A', messageId: 'm' }, []);
    await recognize(fixture, first, { content: 'A', version: '1' });

    for (const messageId of ['m', 'n']) {
      const again = { kind: unknown.kind, content: 'A', version: '1', messageId };
      expect(await fixture.accept(again)).toEqual({ status: 'duplicate', id: first });
    }
    await expect(recognize(fixture, first, { content: 'A' })).rejects.toMatchObject({ code: 'not-found' });
    await expect(recognize(fixture, 'unknown-1', {})).rejects.toMatchObject({ code: 'not-found' });
  });

  test('given events of several versions, then each gets the verdict that it would have got when it came', async () => {
    const fixture = await openFixture(kind);
    const sketches = ['2', '1', '3'].map((version) => ({ content: `v${version}`, version }));
    const ids: string[] = [];
    for (const { content } of sketches) ids.push(await fixture.stored({ ...unknown, content }, []));
    const known = await fixture.stored({ kind: unknown.kind, content: 'v2.5', version: '2.5' }, []);

    const found = [];
    for (const [at, sketch] of sketches.entries())
      found.push(await recognize(fixture, ids[at] ?? '', sketch));

    expect(found.map((each) => each.status === 'recognized' && [each.verdict, each.pending])).toEqual([
      // Older than what is known by now: the handler does not get it.
      ['new', 0],
      ['stale', 0],
      ['new', 1],
    ]);
    const skipped = await fixture.store.deliveries({ status: 'skipped' }, { order: 'oldest', limit: 9 });
    expect(skipped.map(({ eventId, lastError }) => [eventId, lastError])).toEqual([
      [ids[0], 'stale'],
      [ids[1], 'stale'],
    ]);
    expect(await history(fixture, 'company:1')).toEqual([ids[1], ids[0], known, ids[2]]);
    expect(await fixture.accept({ kind: unknown.kind, content: 'new', version: '2.9' })).toMatchObject({
      verdict: 'stale',
    });
  });

  test('what a handler of every kind got stays as it is, and no handler gets an event twice', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ ...unknown, content: 'A' });
    await fixture.succeed(await fixture.claimOne());

    const found = await recognize(fixture, first, { content: 'A' }, [route('anyone'), route('typed')]);

    expect(found).toMatchObject({ pending: 1 });
    expect(await fixture.claim()).toEqual([]);
    expect(await fixture.claim({ handlers: ['typed'] })).toHaveLength(1);
  });

  test('a later handler is skipped where it has succeeded with a later event', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ ...unknown, content: 'A' }, []);
    const event = sampleEvent({ kind: unknown.kind, content: 'A' });
    const overtaken = [{ handler: 'typed', by: 'a-9' }];

    const found = await fixture.store.recognize(first, event, [route('typed')], overtaken);

    expect(found).toMatchObject({ status: 'recognized', pending: 0 });
    const [only] = await fixture.store.deliveries({}, { order: 'oldest', limit: 9 });
    expect(only).toMatchObject({ status: 'skipped', lastError: 'overtaken by event a-9' });
  });

  test('given the same content under its own subject, then the former event stays a duplicate of it', async () => {
    const fixture = await openFixture(kind);
    const own = { content: 'A', subject: 'archive:7', version: '1' };
    // A digest names a subject here only because the sample does: both have the same.
    const { digest } = sampleEvent({ kind: unknown.kind, ...own });
    const former = { ...sampleEvent({ ...unknown, content: 'A', subject: 'company:guess' }), digest };
    const stored = await fixture.store.accept(former, []);
    const id = stored.status === 'stored' ? stored.id : '';
    await fixture.stored({ kind: unknown.kind, ...own }, []);

    expect(await recognize(fixture, id, own)).toEqual({ status: 'duplicate' });
    expect(await fixture.store.event(id)).toMatchObject({ recognized: false, subject: { id: 'guess' } });
  });

  test('an event from which a person was erased stays as the erasure left it', async () => {
    const fixture = await openFixture(kind);
    const flags = [...unknown.flags, 'erased'] as const;
    const erased = await fixture.stored({ ...unknown, flags, content: 'A' }, []);

    expect(await recognize(fixture, erased, { content: 'A' })).toEqual({ status: 'erased' });
    expect(await fixture.store.event(erased)).toMatchObject({ recognized: false, flags });
  });

  test('an event leaves neither a held subject nor a lane in which its delivery waits', async () => {
    const fixture = await openFixture(kind);
    const held = await fixture.stored({ ...unknown, content: 'A', subject: 'company:held' }, []);
    await fixture.store.hold([{ family: 'company', id: 'held' }], { reason: 'case 12', placedBy: 'dpo' });
    const waiting = await fixture.stored({ ...unknown, content: 'B', subject: 'company:busy' });

    expect(await recognize(fixture, held, { content: 'A', subject: 'archive:1' })).toEqual({
      status: 'held',
    });
    expect(await recognize(fixture, waiting, { content: 'B', subject: 'archive:2' })).toEqual({
      status: 'waiting',
    });
    expect(await recognize(fixture, held, { content: 'A', subject: 'company:held' })).toMatchObject({
      status: 'recognized',
    });
  });
}
