import { manualClock } from '../../src/testing/manual-clock.ts';
import { createGroupCommit, type Outcome } from '../../src/store/postgres/commit/group-commit.ts';

interface Item {
  readonly key: string;
  readonly value: string;
  readonly bytes?: number;
}

/** A batch that was begun, to be ended by the test. */
interface Begun {
  readonly values: readonly string[];
  readonly waits: boolean;
  readonly requireTimely: () => void;
  end(outcomes?: readonly Outcome<string>[]): void;
  fail(error: Error): void;
}

/** A group commit whose transactions the test ends. The first character of a value is its key. */
export function openCommits(maxTransactions = 2) {
  const begun: Begun[] = [];
  const clock = manualClock();
  const commits = createGroupCommit<Item, string>({
    location: 'here',
    clock,
    run: (batch, { waits, requireTimely }) =>
      new Promise((resolve, reject) => {
        const values = batch.map(({ value }) => value);
        begun.push({
          values,
          waits,
          requireTimely,
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
  return { commits, clock, begun, write, send, turn };
}
