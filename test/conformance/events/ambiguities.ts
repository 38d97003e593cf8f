import { expect, test } from 'vitest';
import { parseSubjectName } from '../../../src/event/subject.ts';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';

/** A, B, A: the last one is ambiguous. */
async function openWithReturn(kind: StoreKind) {
  const fixture = await openFixture(kind);
  const first = await fixture.stored({ content: 'A' });
  const second = await fixture.stored({ content: 'B' });
  const returned = await fixture.stored({ content: 'A' });
  return { fixture, first, second, returned };
}

async function log(fixture: StoreFixture): Promise<readonly string[]> {
  const subject = parseSubjectName('company:1');
  if (subject === undefined) throw new Error('no subject');
  const { events } = await fixture.store.versionOrder({ source: 'default', subject });
  return Array.from(events, (number) => `${fixture.store.storeId}-${String(number)}`);
}

/** The resolution of ambiguous events. */
export function ambiguityRules(kind: StoreKind): void {
  test.each(['confirmed', 'unconfirmed'] as const)(
    '%s is a flag, and changes nothing else',
    async (found) => {
      const { fixture, first, second, returned } = await openWithReturn(kind);

      expect(await fixture.store.resolveAmbiguity(returned, found, 0)).toBe(found);

      expect(await fixture.store.event(returned)).toMatchObject({
        verdict: 'ambiguous',
        flags: ['ambiguous', found],
      });
      expect(await log(fixture)).toEqual([first, second, returned]);
      expect(await fixture.accept({ content: 'A' })).toEqual({ status: 'duplicate', id: returned });
      expect(await fixture.accept({ content: 'B' })).toMatchObject({ verdict: 'ambiguous' });
    },
  );

  test('given a superseded event, then the event before it is the latest, and the history leaves it out', async () => {
    const { fixture, first, second, returned } = await openWithReturn(kind);

    expect(await fixture.store.resolveAmbiguity(returned, 'superseded', 0)).toBe('superseded');

    expect(await fixture.store.event(returned)).toMatchObject({ flags: ['ambiguous', 'superseded'] });
    expect(await log(fixture)).toEqual([first, second]);
    expect(await fixture.accept({ content: 'B' })).toEqual({ status: 'duplicate', id: second });
    expect(await fixture.accept({ content: 'A' })).toMatchObject({ status: 'stored', verdict: 'ambiguous' });
  });

  test('given two superseded events in a row, then the event before both is the latest', async () => {
    const { fixture, second, returned } = await openWithReturn(kind);
    await fixture.store.resolveAmbiguity(returned, 'superseded', 0);
    const again = await fixture.stored({ content: 'A' });

    await fixture.store.resolveAmbiguity(again, 'superseded', 0);

    expect(await fixture.accept({ content: 'B' })).toEqual({ status: 'duplicate', id: second });
  });

  test('an event stored after a superseded one stays the latest', async () => {
    const { fixture, returned } = await openWithReturn(kind);
    const after = await fixture.stored({ content: 'C' });

    await fixture.store.resolveAmbiguity(returned, 'superseded', 0);

    expect(await fixture.accept({ content: 'C' })).toEqual({ status: 'duplicate', id: after });
  });

  test('records `unconfirmed` for an event repeated since its repeats were read', async () => {
    const { fixture, returned } = await openWithReturn(kind);
    await fixture.accept({ content: 'A' });

    expect(await fixture.store.resolveAmbiguity(returned, 'superseded', 0)).toBe('unconfirmed');
    expect(await fixture.accept({ content: 'A' })).toEqual({ status: 'duplicate', id: returned });
  });

  test('keeps the first recorded resolution', async () => {
    const { fixture, returned } = await openWithReturn(kind);
    await fixture.store.resolveAmbiguity(returned, 'unconfirmed', 0);

    expect(await fixture.store.resolveAmbiguity(returned, 'superseded', 0)).toBe('unconfirmed');
    expect(await fixture.store.event(returned)).toMatchObject({ flags: ['ambiguous', 'unconfirmed'] });
  });

  test('deliveries claimed after the resolution carry its flag', async () => {
    const { fixture, returned } = await openWithReturn(kind);
    await fixture.store.resolveAmbiguity(returned, 'confirmed', 0);

    let delivery = await fixture.claimOne();
    while (delivery.event.id !== returned) delivery = (await fixture.succeed(delivery, true)) ?? delivery;
    expect(delivery.event.flags).toEqual(['ambiguous', 'confirmed']);
  });

  test('rejects a resolution of an event that is not ambiguous', async () => {
    const { fixture, first } = await openWithReturn(kind);
    const rejection = { code: 'invalid-argument' };

    await expect(fixture.store.resolveAmbiguity(first, 'superseded', 0)).rejects.toMatchObject(rejection);
    await expect(fixture.store.resolveAmbiguity('unknown-1', 'confirmed', 0)).rejects.toMatchObject(
      rejection,
    );
  });
}
