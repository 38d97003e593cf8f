import { expect, test } from 'vitest';
import { parseSubjectName } from '../../src/event/subject.ts';
import { openDesk, type Desk } from './desk.ts';
import type { StoreKind } from './store-place.ts';

/** A, B, A: the last one is ambiguous. */
async function openWithReturn(kind: StoreKind) {
  const desk = await openDesk(kind);
  const first = await desk.stored({ content: 'A' });
  const second = await desk.stored({ content: 'B' });
  const returned = await desk.stored({ content: 'A' });
  return { desk, first, second, returned };
}

async function log(desk: Desk): Promise<readonly string[]> {
  const subject = parseSubjectName('company:1');
  if (subject === undefined) throw new Error('no subject');
  const { events } = await desk.store.versionOrder({ source: 'default', subject });
  return Array.from(events, (number) => `${desk.store.storeId}-${String(number)}`);
}

/** What is found out about events that are ambiguous. */
export function ambiguityRules(kind: StoreKind): void {
  test.each(['confirmed', 'unconfirmed'] as const)(
    '%s is a flag, and changes nothing else',
    async (found) => {
      const { desk, first, second, returned } = await openWithReturn(kind);

      expect(await desk.store.resolveAmbiguity(returned, found, 0)).toBe(found);

      expect(await desk.store.event(returned)).toMatchObject({
        verdict: 'ambiguous',
        flags: ['ambiguous', found],
      });
      expect(await log(desk)).toEqual([first, second, returned]);
      expect(await desk.accept({ content: 'A' })).toEqual({ status: 'duplicate', id: returned });
      expect(await desk.accept({ content: 'B' })).toMatchObject({ verdict: 'ambiguous' });
    },
  );

  test('a superseded event is not the latest any more, and no part of the history', async () => {
    const { desk, first, second, returned } = await openWithReturn(kind);

    expect(await desk.store.resolveAmbiguity(returned, 'superseded', 0)).toBe('superseded');

    expect(await desk.store.event(returned)).toMatchObject({ flags: ['ambiguous', 'superseded'] });
    expect(await log(desk)).toEqual([first, second]);
    expect(await desk.accept({ content: 'B' })).toEqual({ status: 'duplicate', id: second });
    expect(await desk.accept({ content: 'A' })).toMatchObject({ status: 'stored', verdict: 'ambiguous' });
  });

  test('two superseded ones in a row leave what was before both as the latest', async () => {
    const { desk, second, returned } = await openWithReturn(kind);
    await desk.store.resolveAmbiguity(returned, 'superseded', 0);
    const again = await desk.stored({ content: 'A' });

    await desk.store.resolveAmbiguity(again, 'superseded', 0);

    expect(await desk.accept({ content: 'B' })).toEqual({ status: 'duplicate', id: second });
  });

  test('what came after a superseded event stays the latest', async () => {
    const { desk, returned } = await openWithReturn(kind);
    const after = await desk.stored({ content: 'C' });

    await desk.store.resolveAmbiguity(returned, 'superseded', 0);

    expect(await desk.accept({ content: 'C' })).toEqual({ status: 'duplicate', id: after });
  });

  test('one that came again since it was counted is not superseded', async () => {
    const { desk, returned } = await openWithReturn(kind);
    await desk.accept({ content: 'A' });

    expect(await desk.store.resolveAmbiguity(returned, 'superseded', 0)).toBe('unconfirmed');
    expect(await desk.accept({ content: 'A' })).toEqual({ status: 'duplicate', id: returned });
  });

  test('what was recorded first stands', async () => {
    const { desk, returned } = await openWithReturn(kind);
    await desk.store.resolveAmbiguity(returned, 'unconfirmed', 0);

    expect(await desk.store.resolveAmbiguity(returned, 'superseded', 0)).toBe('unconfirmed');
    expect(await desk.store.event(returned)).toMatchObject({ flags: ['ambiguous', 'unconfirmed'] });
  });

  test('deliveries that wait carry the flag when they are claimed', async () => {
    const { desk, returned } = await openWithReturn(kind);
    await desk.store.resolveAmbiguity(returned, 'confirmed', 0);

    let delivery = await desk.claimOne();
    while (delivery.event.id !== returned) delivery = (await desk.succeed(delivery, true)) ?? delivery;
    expect(delivery.event.flags).toEqual(['ambiguous', 'confirmed']);
  });

  test('there is nothing to settle about any other event', async () => {
    const { desk, first } = await openWithReturn(kind);
    const refused = { code: 'invalid-argument' };

    await expect(desk.store.resolveAmbiguity(first, 'superseded', 0)).rejects.toMatchObject(refused);
    await expect(desk.store.resolveAmbiguity('nobody-1', 'confirmed', 0)).rejects.toMatchObject(refused);
  });
}
