/** A list is known by its query, and up to date as of these revisions of its tables. */
export interface RememberedList {
  readonly revisions: readonly number[];
  readonly ids: Float64Array;
}

export interface MemoryBounds {
  /** Of all organizations together. */
  readonly maxBytes: number;
  readonly maxListsOfOrganization: number;
}

/** Lists of ids, by organization and query. Those used longest ago go first. */
export interface RememberedLists {
  get(organization: number, key: string): RememberedList | undefined;
  set(organization: number, key: string, list: RememberedList): void;
}

/** What an entry costs beside its ids: the key, the objects, a share of the maps. Measured, and rounded up. */
const ENTRY_BYTES = 1_024;

interface Share {
  readonly lists: Map<string, RememberedList>;
  bytes: number;
}

/**
 * Bounded in bytes, entries without ids included. What is too much goes from the
 * organization that holds the most, so that none can push out the others.
 */
export function createRememberedLists({ maxBytes, maxListsOfOrganization }: MemoryBounds): RememberedLists {
  const shares = new Map<number, Share>();
  let bytes = 0;

  function forget(organization: number, share: Share, key: string): void {
    const list = share.lists.get(key);
    if (list === undefined) return;
    share.lists.delete(key);
    share.bytes -= sizeOf(list);
    bytes -= sizeOf(list);
    if (share.lists.size === 0) shares.delete(organization);
  }

  function largest(): readonly [number, Share] | undefined {
    let found: readonly [number, Share] | undefined;
    for (const each of shares) if (found === undefined || each[1].bytes > found[1].bytes) found = each;
    return found;
  }

  return {
    get: (organization, key) => shares.get(organization)?.lists.get(key),
    set(organization, key, list) {
      const share = shares.get(organization) ?? { lists: new Map<string, RememberedList>(), bytes: 0 };
      forget(organization, share, key);
      shares.set(organization, share);
      // A map keeps the order of insertion, so the last one used is the last.
      share.lists.set(key, list);
      share.bytes += sizeOf(list);
      bytes += sizeOf(list);
      if (share.lists.size > maxListsOfOrganization) forget(organization, share, firstOf(share));
      while (bytes > maxBytes) {
        const [holder, most] = largest() ?? [organization, share];
        const oldest = firstOf(most);
        // The list that was just read stays, however long it is.
        if (most === share && oldest === key) break;
        forget(holder, most, oldest);
      }
    },
  };
}

function firstOf({ lists }: Share): string {
  const [first = ''] = lists.keys();
  return first;
}

function sizeOf({ ids }: RememberedList): number {
  return ENTRY_BYTES + ids.byteLength;
}
