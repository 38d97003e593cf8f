/** What every kind of transaction promises, on a database with the table `entries (key text, amount integer)`. */
import { describe, expect, test } from 'vitest';
import { inTransaction } from '../../src/handle/define/in-transaction.ts';
import { Discard, GiveUp, isGiveUp, RetryLater } from '../../src/handle/define/outcome.ts';
import type { Transaction } from '../../src/handle/define/transaction.ts';

export interface Opened {
  readonly transaction: Transaction<unknown>;
  /** Writes an entry with what the handler gets. */
  write(tx: unknown, key: string, amount: number): unknown;
  /** Runs a statement on the connection of the transaction. */
  run(tx: unknown, statement: string): unknown;
  /** The committed entries. */
  entries(): Promise<readonly { readonly key: string; readonly amount: number }[]>;
}

const TIMEOUT_MS = 30_000;

/** Runs work as the dispatcher does. */
export async function attempt(
  { transaction }: Opened,
  work: (tx: unknown) => unknown,
  { key = 'x1-1/ledger', signal = new AbortController().signal } = {},
): Promise<unknown> {
  return inTransaction(transaction, work, { key, timeoutMs: TIMEOUT_MS, signal: () => signal });
}

export function transactionPromises(name: string, open: () => Promise<Opened>): void {
  describe(name, () => {
    test('the work and its key are committed once, however often the delivery runs', async () => {
      const opened = await open();
      const { write, entries } = opened;
      expect(await attempt(opened, (tx) => write(tx, 'a', 1))).not.toBe(undefined);
      let isCalled = false;
      expect(await attempt(opened, () => (isCalled = true))).toBe(undefined);
      await attempt(opened, (tx) => write(tx, 'b', 2), { key: 'x1-2/ledger' });
      expect(isCalled).toBe(false);
      expect(await entries()).toEqual([
        { key: 'a', amount: 1 },
        { key: 'b', amount: 2 },
      ]);
    });

    test.each([
      ['RetryLater', RetryLater(5)],
      ['Discard', Discard('not needed')],
      ['GiveUp', GiveUp('closed')],
    ])('%s rolls back, returned or thrown, and the next attempt does the work', async (_, outcome) => {
      const opened = await open();
      const { transaction, write, entries } = opened;
      const then = (tx: unknown, end: () => unknown) =>
        transaction.isSynchronous ? (write(tx, 'a', 1), end()) : Promise.resolve(write(tx, 'a', 1)).then(end);
      await expect(attempt(opened, (tx) => then(tx, () => outcome))).rejects.toBe(outcome);
      const thrown = (): never => {
        throw outcome;
      };
      await expect(attempt(opened, (tx) => then(tx, thrown))).rejects.toBe(outcome);
      expect(await entries()).toEqual([]);
      await attempt(opened, (tx) => write(tx, 'a', 3));
      expect(await entries()).toEqual([{ key: 'a', amount: 3 }]);
    });

    const endings = ['commit', 'rollback', 'commit; begin', 'rollback; begin'];

    /** Ends the transaction, and then goes on. */
    function ending({ transaction, run }: Opened, tx: unknown, statements: string, then: () => unknown) {
      const each = statements.split('; ');
      if (!transaction.isSynchronous)
        return each
          .reduce(
            (before, statement) => before.then(() => run(tx, statement)),
            Promise.resolve<unknown>(null),
          )
          .then(then);
      for (const statement of each) run(tx, statement);
      return then();
    }

    test.each(endings)('a handler that ends the transaction (%s) gives up', async (statements) => {
      const opened = await open();
      const run = attempt(opened, (tx) => ending(opened, tx, statements, () => opened.write(tx, 'b', 2)));
      await expect(run).rejects.toSatisfy(isGiveUp);
      await expect(run).rejects.toThrow('the handler has ended the transaction, which only Portaria may');
    });

    test.each(endings)('one that throws after it (%s) has not done its work', async (statements) => {
      const opened = await open();
      const late = (): never => {
        throw new Error('too late');
      };
      const run = attempt(opened, (tx) => ending(opened, tx, statements, late));
      await expect(run).rejects.toThrow('too late');
      await attempt(opened, (tx) => opened.write(tx, 'b', 2));
      expect(await opened.entries()).toEqual([{ key: 'b', amount: 2 }]);
    });

    test('an attempt that has lost its time or its lease commits nothing', async () => {
      const opened = await open();
      const taken = new AbortController();
      const lost = attempt(
        opened,
        (tx) => {
          taken.abort(new Error('another process has taken over this delivery'));
          return opened.write(tx, 'a', 1);
        },
        { signal: taken.signal },
      );
      await expect(lost).rejects.toThrow('another process has taken over');
      expect(await opened.entries()).toEqual([]);
    });
  });
}
