/** Keeps what was worked out of rows that do not change, so that a page that refreshes itself does not read them again. */

/** Returns what is known under a key of an owner, or else what `read` finds: of each owner, the `max` that were asked for last are kept. */
export type Memory<T> = (owner: object, key: string, read: () => Promise<T>) => Promise<T>;

export function createMemory<T>(max: number): Memory<T> {
  const known = new WeakMap<object, Map<string, Promise<T>>>();
  return (owner, key, read) => {
    const own = known.get(owner) ?? new Map<string, Promise<T>>();
    known.set(owner, own);
    const kept = own.get(key) ?? read();
    own.delete(key);
    own.set(key, kept);
    // What failed is tried again.
    kept.catch(() => own.delete(key));
    const [oldest] = own.keys();
    if (own.size > max && oldest !== undefined) own.delete(oldest);
    return kept;
  };
}
