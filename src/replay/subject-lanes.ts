/** Runs work in order by subject, and in parallel between subjects. */
import PQueue from 'p-queue';

/**
 * Work over a stream of items: items of one key run one at a time and in order,
 * items of different keys run in parallel.
 */
export interface LaneWork<Item> {
  readonly keyOf: (item: Item) => string;
  /** Never rejects. */
  readonly run: (item: Item) => Promise<void>;
  /** Items that run at a time. */
  readonly concurrency: number;
  /** Once aborted, no item is read or started. */
  readonly signal: AbortSignal;
}

/** Items read and not ended, for each that may run: bounds memory. */
const READ_AHEAD = 16;

/** Resolves when all started items have ended. */
export async function inSubjectLanes<Item>(
  items: AsyncIterable<Item>,
  { keyOf, run, concurrency, signal }: LaneWork<Item>,
): Promise<void> {
  const tails = new Map<string, Promise<void>>();
  const unfinished = new Set<Promise<void>>();
  const limit = new PQueue({ concurrency });

  for await (const item of items) {
    if (signal.aborted) break;
    const key = keyOf(item);
    const before = tails.get(key) ?? Promise.resolve();
    const done: Promise<void> = before
      .then(() => limit.add(() => (signal.aborted ? Promise.resolve() : run(item))))
      .finally(() => {
        unfinished.delete(done);
        if (tails.get(key) === done) tails.delete(key);
      });
    tails.set(key, done);
    unfinished.add(done);
    while (unfinished.size >= concurrency * READ_AHEAD) await Promise.race(unfinished);
  }
  await Promise.all(unfinished);
}
