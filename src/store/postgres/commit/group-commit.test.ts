import { describe, expect, test } from 'vitest';
import { PortariaError } from '../../../kernel/errors.ts';
import { createGroupCommit, type Outcome } from './group-commit.ts';

interface Item {
  readonly key: string;
  readonly value: string;
  readonly bytes?: number;
}

/** A batch that was begun, to be ended by the test. */
interface Begun {
  readonly values: readonly string[];
  readonly waits: boolean;
  end(outcomes?: readonly Outcome<string>[]): void;
  fail(error: Error): void;
}

function openCommits(maxTransactions = 2) {
  const begun: Begun[] = [];
  const commits = createGroupCommit<Item, string>({
    location: 'here',
    run: (batch, { waits }) =>
      new Promise((resolve, reject) => {
        const values = batch.map(({ value }) => value);
        begun.push({
          values,
          waits,
          end: (outcomes = values.map((value) => ({ value }))) => resolve(outcomes),
          fail: reject,
        });
      }),
    keyOf: ({ key }) => key,
    bytesOf: ({ bytes = 1 }) => bytes,
    maxTransactions,
  });
  const write = (...values: readonly string[]) =>
    values.map((value) => commits.write({ key: value.charAt(0), value }));
  /** Writes items whose results do not matter. */
  const send = (...values: readonly string[]) => void Promise.allSettled(write(...values));
  const turn = () => new Promise<void>((resolve) => void setImmediate(() => setImmediate(resolve)));
  return { commits, begun, write, send, turn };
}

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
