/** Sorts the member names of JSON objects, and remembers the order of each shape. */

/** The members of an object in canonical order. */
export interface MemberOrder {
  /** The index of each member in the given order. */
  readonly indexes: readonly number[];
  /** The bytes before each value, `{"key":` or `,"key":`, in UTF-8. */
  readonly prefixes: readonly Uint8Array[];
}

interface CachedOrder extends MemberOrder {
  readonly names: readonly string[];
}

// Payloads have few shapes, of few and short names. Anything larger is sorted each time.
const MAX_CACHED = 512;
const MAX_CACHED_PER_LAST_NAME = 8;
const MAX_CACHED_MEMBERS = 64;
const MAX_CACHED_PREFIX_BYTES = 64;

/**
 * Creates a function that sorts member names by UTF-16 code units (RFC 8785) and caches the result. A sender
 * writes the members of a kind in one order; without the cache sorting and quoting are two thirds of the cost
 * of a digest. A cached order is used only for the same names in the same order.
 */
export function createMemberOrder(): (names: readonly string[]) => MemberOrder {
  const cachedByLastName = new Map<string, CachedOrder[]>();
  let cachedCount = 0;

  function cache(order: CachedOrder, sameLastName: readonly CachedOrder[]): void {
    if (cachedCount === MAX_CACHED || sameLastName.length === MAX_CACHED_PER_LAST_NAME) return;
    if (order.names.length > MAX_CACHED_MEMBERS) return;
    if (order.prefixes.some(({ length }) => length > MAX_CACHED_PREFIX_BYTES)) return;
    cachedCount += 1;
    cachedByLastName.set(order.names.at(-1) ?? '', [...sameLastName, order]);
  }

  return (names) => {
    const sameLastName = cachedByLastName.get(names[names.length - 1] ?? '') ?? NONE;
    for (const cached of sameLastName) if (equalNames(cached.names, names)) return cached;
    const order = orderOf(names);
    cache(order, sameLastName);
    return order;
  };
}

const NONE: readonly CachedOrder[] = [];

function orderOf(names: readonly string[]): CachedOrder {
  const members = names.map((name, index) => ({ name, index }));
  members.sort((one, other) => (one.name < other.name ? -1 : 1));
  return {
    names,
    indexes: members.map(({ index }) => index),
    prefixes: members.map(({ name }, index) =>
      Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    ),
  };
}

function equalNames(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) if (one[index] !== other[index]) return false;
  return true;
}
