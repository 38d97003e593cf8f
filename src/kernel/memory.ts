/** Keeps what was worked out of rows that do not change, so that a page that refreshes itself does not read them again. */

/** Returns what is known under a key of an owner, or else what `read` finds: of each owner, the `max` that were asked for last are kept. */
export type Memory<T> = (owner: object, key: string, read: () => Promise<T>) => Promise<T>;

export function createMemory<T>(max: number): Memory<T> {
  const owners = new WeakMap<object, Map<string, Promise<T>>>();
  return (owner, key, read) => {
    const own = owners.get(owner) ?? new Map<string, Promise<T>>();
    owners.set(owner, own);
    const known = own.get(key);
    const kept = known ?? read();
    own.delete(key);
    own.set(key, kept);
    // What failed is tried again.
    if (known === undefined) kept.catch(() => own.delete(key));
    const [oldest] = own.keys();
    if (own.size > max && oldest !== undefined) own.delete(oldest);
    return kept;
  };
}
