import { describe, expect, test } from 'vitest';
import { PortariaError } from '../../../kernel/errors.ts';
import { openCommits } from '../../../../test/support/open-commits.ts';

describe('a group commit', () => {
  test('shares a transaction among what arrives in one turn, and among what arrives while others run', async () => {
    const { begun, write, send, turn } = openCommits();
    const first = write('a1', 'b1');
    await turn();
    send('c1');
    await turn();
    send('d1');
    send('e1');
    await turn();
    expect(begun.map(({ values }) => values)).toEqual([['a1', 'b1'], ['c1']]);

    begun[0]?.end();
    expect(await Promise.all(first)).toEqual(['a1', 'b1']);
    await turn();
    expect(begun[2]?.values).toEqual(['d1', 'e1']);
  });

  test('writes items of one key in order, never in two transactions at once', async () => {
    const { begun, send, turn } = openCommits();
    send('a1');
    await turn();
    send('a2', 'b1', 'a3');
    await turn();
    expect(begun.map(({ values }) => values)).toEqual([['a1'], ['b1']]);

    begun[0]?.end();
    await turn();
    expect(begun[2]?.values).toEqual(['a2', 'a3']);
  });

  test('bounds the items and the bytes of a transaction', async () => {
    const { commits, begun, turn } = openCommits(3);
    const megabytes = (value: string, count: number) =>
      void commits.write({ key: value, value, bytes: count * 1024 * 1024 });
    megabytes('large', 20);
    megabytes('small', 1);
    for (let at = 0; at < 300; at += 1) void commits.write({ key: String(at), value: String(at), bytes: 1 });
    await turn();

    expect(begun.map(({ values }) => values.length)).toEqual([1, 256, 45]);
  });

  test('rejects what arrives when too many items wait', async () => {
    const { commits } = openCommits();
    for (let at = 0; at < 8_192; at += 1) void commits.write({ key: 'a', value: String(at) });

    await expect(commits.write({ key: 'b', value: 'late' })).rejects.toMatchObject({ code: 'store-busy' });
  });

  test('counts items that wait for a lock among those that wait', async () => {
    const { commits, begun, send, turn } = openCommits(1);
    send('a1');
    await turn();
    begun[0]?.end([{ isLocked: true }]);
    send('b1');
    await turn();
    // It waits behind the transaction of the first one.
    begun[2]?.end([{ isLocked: true }]);
    await turn();
    for (let at = 0; at < 8_191; at += 1) send('a2');

    await expect(commits.write({ key: 'c', value: 'late' })).rejects.toMatchObject({ code: 'store-busy' });
  });

  test('writes each item by itself when one has failed the others', async () => {
    const { begun, write, turn } = openCommits();
    const [bad, good] = write('a1', 'b1');
    const failure = bad?.catch((error: unknown) => error);
    await turn();
    begun[0]?.fail(new Error('does not fit'));
    await turn();
    begun[1]?.fail(new Error('does not fit'));
    await turn();
    begun[2]?.end();

    expect(await failure).toMatchObject({ message: 'does not fit' });
    expect(await good).toBe('b1');
    expect(begun.map(({ values }) => values)).toEqual([['a1', 'b1'], ['a1'], ['b1']]);
  });

  test('tries nothing again when the server has failed', async () => {
    const { begun, write, turn } = openCommits();
    const both = Promise.allSettled(write('a1', 'b1'));
    await turn();
    begun[0]?.fail(new PortariaError('store-full', 'no room'));

    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(begun).toHaveLength(1);
  });

  describe('whose server is silent', () => {
    const busy = { code: 'store-busy' };

    test('rejects an item within 9.5 seconds of its arrival, and neither sooner nor later because of others', async () => {
      const { clock, write, turn } = openCommits();
      const [first] = write('a1');
      const firstEnd = Promise.allSettled([first]);
      await turn();
      clock.advance(5_000);
      const [second] = write('b1');
      const ends: string[] = [];
      void first?.catch(() => ends.push('a1'));
      void second?.catch(() => ends.push('b1'));
      clock.advance(3_900);
      await turn();
      expect(ends).toEqual([]);

      clock.advance(600);
      expect(await firstEnd).toMatchObject([{ status: 'rejected', reason: busy }]);
      clock.advance(4_400);
      await turn();
      expect(ends).toEqual(['a1']);
      clock.advance(600);
      await turn();
      expect(ends).toEqual(['a1', 'b1']);
    });

    test('does not begin what it has rejected, and goes on with what came later', async () => {
      const { clock, begun, write, send, turn } = openCommits(1);
      send('a1');
      await turn();
      send('b1', 'a2');
      await turn();
      clock.advance(9_500);
      const [later] = write('c1');
      begun[0]?.fail(new PortariaError('store-busy', 'no response'));
      await turn();
      expect(begun.map(({ values }) => values)).toEqual([['a1'], ['c1']]);

      begun[1]?.end();
      expect(await later).toBe('c1');
    });

    test('writes no item by itself that it has rejected', async () => {
      const { clock, begun, send, turn } = openCommits();
      send('a1', 'b1');
      await turn();
      clock.advance(9_500);
      begun[0]?.fail(new Error('does not fit'));
      await turn();
      expect(begun).toHaveLength(1);
    });

    test('keeps the order of a key whose item it rejected while a transaction had it', async () => {
      const { clock, begun, write, send, turn } = openCommits();
      send('a1');
      await turn();
      clock.advance(9_500);
      const [again] = write('a1');
      await turn();
      expect(begun).toHaveLength(1);

      begun[0]?.end();
      await turn();
      begun[1]?.end(['duplicate'].map((value) => ({ value })));
      expect(await again).toBe('duplicate');
    });

    test('does not begin what it has rejected while it waited for a lock, and goes on with later ones of its key', async () => {
      const { clock, begun, write, send, turn } = openCommits(1);
      send('a1', 'b1');
      await turn();
      // The first waits for its lock in a transaction, the other one behind it.
      begun[0]?.end([{ isLocked: true }, { value: 'b1' }]);
      send('b2');
      await turn();
      begun[2]?.end([{ isLocked: true }]);
      await turn();
      expect(begun.map(({ values }) => values)).toEqual([['a1', 'b1'], ['a1'], ['b2']]);
      clock.advance(9_500);
      const [later] = write('b3');
      await turn();
      expect(begun[3]).toMatchObject({ values: ['b3'], waits: false });

      begun[3]?.end();
      expect(await later).toBe('b3');
      begun[1]?.end();
      await turn();
      expect(begun).toHaveLength(4);
    });

    test('does not wait for a lock again for what it has rejected', async () => {
      const { clock, begun, write, send, turn } = openCommits(1);
      send('a1');
      await turn();
      clock.advance(9_500);
      begun[0]?.end([{ isLocked: true }]);
      const [later] = write('a2');
      await turn();
      expect(begun.map(({ values }) => values)).toEqual([['a1'], ['a2']]);
      begun[1]?.end();
      expect(await later).toBe('a2');
    });

    test('rolls back what it has rejected before all locks were held, and writes the others again', async () => {
      const { clock, begun, write, turn } = openCommits(1);
      const [late] = write('a1');
      const rejected = late?.catch((error: unknown) => error);
      clock.advance(5_000);
      const [timely] = write('b1');
      await turn();
      expect(begun[0]?.values).toEqual(['a1', 'b1']);
      begun[0]?.requireTimely();

      clock.advance(4_400);
      expect(() => begun[0]?.requireTimely()).toThrow('too late');
      expect(await rejected).toMatchObject(busy);
      begun[0]?.fail(new Error('rolled back'));
      await turn();
      expect(begun[1]?.values).toEqual(['b1']);
      begun[1]?.end();
      expect(await timely).toBe('b1');
    });

    test('sets no timer while nothing waits', async () => {
      const { clock, begun, send, turn } = openCommits();
      expect(clock.untilNext).toBeNull();
      send('a1');
      await turn();
      expect(clock.untilNext).toBe(500);
      begun[0]?.end();
      await turn();
      clock.advance(500);
      expect(clock.untilNext).toBeNull();
    });
  });

  test('a close writes what waits, and rejects what comes later', async () => {
    const { commits, begun, write, turn } = openCommits(1);
    const all = write('a1', 'a2');
    const closed = commits.close();
    await expect(commits.write({ key: 'b', value: 'late' })).rejects.toMatchObject({ code: 'stopping' });
    await turn();
    begun[0]?.end();

    expect(await Promise.all(all)).toEqual(['a1', 'a2']);
    await closed;
  });
});
