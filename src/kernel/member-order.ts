/** The members of an object in canonical order, and how each begins in JSON: `"key":`. */
export interface MemberOrder {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
}

interface Known extends MemberOrder {
  readonly arrived: readonly string[];
}

/** Shapes of payloads are few; what goes beyond is sorted each time. */
const MOST_KNOWN = 512;

/**
 * Sorts member names by UTF-16 code units, as RFC 8785 does, and remembers the
 * result: a sender writes the members of a kind in one order, so that sorting
 * and quoting them again was two thirds of the cost of a digest. A remembered
 * order is used only for the very same names in the very same order.
 */
export function createMemberOrder(): (arrived: readonly string[]) => MemberOrder {
  const known = new Map<string, Known>();
  return (arrived) => {
    const clue = `${String(arrived.length)} ${arrived[0] ?? ''} ${arrived.at(-1) ?? ''}`;
    const remembered = known.get(clue);
    if (remembered !== undefined && sameNames(remembered.arrived, arrived)) return remembered;
    const keys = [...arrived].sort();
    const order = { arrived, keys, prefixes: keys.map((key) => `${JSON.stringify(key)}:`) };
    if (known.size < MOST_KNOWN) known.set(clue, order);
    return order;
  };
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  for (let index = 0; index < one.length; index += 1) if (one[index] !== other[index]) return false;
  return one.length === other.length;
}
