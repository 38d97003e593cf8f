const MAX_PARALLEL = 8;

/**
 * Runs `work` for each item, eight at a time.
 *
 * @template T
 * @param {readonly T[]} items
 * @param {AbortSignal} signal
 * @param {(item: T) => Promise<void>} work
 */
export async function inParallel(items, signal, work) {
  const next = items.values();
  const worker = async () => {
    for (const item of next) {
      signal.throwIfAborted();
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL }, worker));
}
