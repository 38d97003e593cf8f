import { describe, expect, test } from 'vitest';
import { openCommits } from '../../../../test/support/open-commits.ts';

describe('items of a group commit that need a lock of another transaction', () => {
  test('items that are locked wait in a transaction of their own, with later ones of their keys behind them', async () => {
    const { begun, write, turn } = openCommits(1);
    const [locked, other] = write('a1', 'b1');
    await turn();
    const [behind] = write('a2', 'c1');
    begun[0]?.end([{ isLocked: true }, { value: 'b1' }]);
    expect(await other).toBe('b1');
    await turn();
    expect(begun.slice(1).map(({ values, waits }) => ({ values, waits }))).toEqual([
      { values: ['a1'], waits: true },
      { values: ['c1'], waits: false },
    ]);

    begun[1]?.end();
    expect(await locked).toBe('a1');
    begun[2]?.end();
    await turn();
    begun[3]?.end();
    expect(await behind).toBe('a2');
  });

  test('items of a transaction that did not get a lock in time wait for it', async () => {
    const { begun, write, turn } = openCommits(1);
    const [item] = write('a1');
    await turn();
    begun[0]?.fail(Object.assign(new Error('lock timeout'), { code: '55P03' }));
    await turn();
    expect(begun[1]).toMatchObject({ values: ['a1'], waits: true });

    begun[1]?.end();
    expect(await item).toBe('a1');
  });

  test('items of a key that wait for a lock stay in order when a transaction takes only some of them', async () => {
    const { begun, send, turn } = openCommits(1);
    const many = Array.from({ length: 256 }, (_, at) => `a${String(at)}`);
    const locked = { isLocked: true } as const;
    for (const values of [['b'], ['c'], many]) {
      send(...values);
      await turn();
      begun.at(-1)?.end(values.map(() => locked));
      await turn();
      if (values.includes('b')) expect(begun.at(-1)).toMatchObject({ values: ['b'], waits: true });
    }
    begun[1]?.end();
    await turn();
    const some = begun.at(-1);
    expect(some?.values).toEqual(['c', ...many.slice(0, 255)]);

    some?.end([{ value: 'c' }, ...many.slice(0, 255).map(() => locked)]);
    await turn();

    expect(begun.at(-1)?.values).toEqual(many);
  });

  /** Sends items, group by group, while what they need is locked. All wait behind the transaction of the first group. */
  async function openLocked(...groups: readonly (readonly string[])[]) {
    const opened = openCommits(1);
    for (const values of [['first'], ...groups]) {
      opened.send(...values);
      await opened.turn();
      opened.begun.find((one) => !one.waits && one.values[0] === values[0])?.end(lockedAll(values));
      await opened.turn();
    }
    /** The transaction that waits for locks. */
    const waiting = () => opened.begun.findLast(({ waits }) => waits);
    return { ...opened, waiting };
  }
  const many = (key: string, from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `${key}${String(from + at)}`);
  const lockedAll = (values: readonly string[]) => values.map(() => ({ isLocked: true }) as const);

  test('nothing overtakes items of a key that wait for a lock, when a transaction had only some of them', async () => {
    const { begun, send, turn, waiting } = await openLocked(many('e', 0, 200), [
      ...many('c', 0, 10),
      ...many('a', 0, 96),
      ...many('c', 10, 160),
    ]);
    waiting()?.end();
    await turn();
    expect(waiting()?.values).toEqual([...many('e', 0, 200), ...many('c', 0, 10), ...many('a', 0, 46)]);

    send('c160');
    const written = many('c', 0, 10).map((value) => ({ value }));
    waiting()?.end([...lockedAll(many('e', 0, 200)), ...written, ...lockedAll(many('a', 0, 46))]);
    await turn();

    expect(waiting()?.values).toEqual([...many('c', 10, 160), ...many('e', 0, 106)]);
    expect(begun.flatMap(({ values }) => values)).not.toContain('c160');
  });

  test('items that wait for locks have their turns, however many wait before them', async () => {
    const { turn, waiting } = await openLocked(many('a', 0, 200), many('c', 0, 200), ['d']);
    waiting()?.end();
    await turn();
    waiting()?.end(lockedAll(waiting()?.values ?? []));
    await turn();

    expect(waiting()?.values[0]).toBe('d');
  });

  test('of several items that wait for a lock in vain, each is written by itself', async () => {
    const { begun, write, turn } = openCommits(1);
    const [locked, free] = write('a1', 'b1');
    await turn();
    const timeout = Object.assign(new Error('lock timeout'), { code: '55P03' });
    begun[0]?.fail(timeout);
    await turn();
    expect(begun[1]).toMatchObject({ values: ['a1', 'b1'], waits: true });

    begun[1]?.fail(timeout);
    await turn();
    begun[2]?.fail(timeout);
    await turn();
    begun[3]?.end();

    expect(await free).toBe('b1');
    expect(begun.slice(2).map(({ values }) => values)).toEqual([['a1'], ['b1']]);
    await turn();
    begun[4]?.end();
    expect(await locked).toBe('a1');
  });

  test('when a batch failed, items behind a locked one of their key wait with it', async () => {
    const { begun, write, turn } = openCommits(1);
    const [bad, first, second] = write('b1', 'a1', 'a2');
    const failure = bad?.catch((error: unknown) => error);
    await turn();
    begun[0]?.fail(new Error('does not fit'));
    await turn();
    begun[1]?.fail(new Error('does not fit'));
    await turn();
    begun[2]?.end([{ isLocked: true }]);
    await turn();
    expect(begun.slice(1).map(({ values, waits }) => ({ values, waits }))).toEqual([
      { values: ['b1'], waits: false },
      { values: ['a1'], waits: false },
      { values: ['a1', 'a2'], waits: true },
    ]);

    begun[3]?.end();
    expect(await Promise.all([first, second])).toEqual(['a1', 'a2']);
    expect(await failure).toMatchObject({ message: 'does not fit' });
  });
});
