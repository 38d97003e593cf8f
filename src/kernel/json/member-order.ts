/** The members of an object in canonical order. */
export interface MemberOrder {
  /** Where each of them stands in the order they arrived in. */
  readonly places: readonly number[];
  /** What stands before each value, `{"key":` or `,"key":`, in UTF-8. */
  readonly prefixes: readonly Uint8Array[];
}

interface Known extends MemberOrder {
  readonly arrived: readonly string[];
}

/** Shapes of payloads are few, and of few and short names; what goes beyond is sorted each time. */
const MAX_KNOWN = 512;
const MAX_KNOWN_ALIKE = 8;
const MAX_MEMBERS_KNOWN = 64;
const MAX_PREFIX_KNOWN = 64;

/**
 * Sorts member names by UTF-16 code units, as RFC 8785 does, and remembers the
 * result: a sender writes the members of a kind in one order, so that sorting
 * and quoting them again was two thirds of the cost of a digest. A remembered
 * order is used only for the very same names in the very same order.
 */
export function createMemberOrder(): (arrived: readonly string[]) => MemberOrder {
  const knownByLastName = new Map<string, Known[]>();
  let knownInAll = 0;

  function remember(order: Known, alike: readonly Known[]): void {
    if (knownInAll === MAX_KNOWN || alike.length === MAX_KNOWN_ALIKE) return;
    if (order.arrived.length > MAX_MEMBERS_KNOWN) return;
    if (order.prefixes.some(({ length }) => length > MAX_PREFIX_KNOWN)) return;
    knownInAll += 1;
    knownByLastName.set(order.arrived.at(-1) ?? '', [...alike, order]);
  }

  return (arrived) => {
    const alike = knownByLastName.get(arrived[arrived.length - 1] ?? '') ?? NONE;
    for (const known of alike) if (sameNames(known.arrived, arrived)) return known;
    const order = orderOf(arrived);
    remember(order, alike);
    return order;
  };
}

const NONE: readonly Known[] = [];

function orderOf(arrived: readonly string[]): Known {
  const members = arrived.map((name, place) => ({ name, place }));
  members.sort((one, other) => (one.name < other.name ? -1 : 1));
  return {
    arrived,
    places: members.map(({ place }) => place),
    prefixes: members.map(({ name }, index) => Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)),
  };
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) if (one[index] !== other[index]) return false;
  return true;
}
