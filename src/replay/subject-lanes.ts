import PQueue from 'p-queue';

/**
 * Runs work over a stream of items: those of a key one at a time and in order,
 * different keys in parallel. Memory holds `ahead` items at most.
 */
export interface LaneWork<Item> {
  readonly keyOf: (item: Item) => string;
  /** Never rejects. */
  readonly run: (item: Item) => Promise<void>;
  /** How many run at a time. */
  readonly concurrency: number;
  /** Takes no more items once aborted; what was taken and not begun is left out. */
  readonly signal: AbortSignal;
}

/** How far the stream is read ahead of what is finished, for each slot. */
const AHEAD_PER_SLOT = 16;

/** Resolves when all that was begun is finished. */
export async function inSubjectLanes<Item>(
  items: AsyncIterable<Item>,
  { keyOf, run, concurrency, signal }: LaneWork<Item>,
): Promise<void> {
  const tails = new Map<string, Promise<void>>();
  const taken = new Set<Promise<void>>();
  const slots = new PQueue({ concurrency });

  for await (const item of items) {
    if (signal.aborted) break;
    const key = keyOf(item);
    const before = tails.get(key) ?? Promise.resolve();
    const done: Promise<void> = before
      .then(() => slots.add(() => (signal.aborted ? Promise.resolve() : run(item))))
      .finally(() => {
        taken.delete(done);
        if (tails.get(key) === done) tails.delete(key);
      });
    tails.set(key, done);
    taken.add(done);
    while (taken.size >= concurrency * AHEAD_PER_SLOT) await Promise.race(taken);
  }
  await Promise.all(taken);
}
