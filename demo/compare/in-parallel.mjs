const AT_A_TIME = 8;

/**
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
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}
