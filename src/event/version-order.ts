/** The order in which a subject's events happened. */

interface Versioned {
  readonly version: string | null;
}

/**
 * Sorts a subject's events, given in arrival order, into the order in which they happened, as far as known: by
 * version, and by arrival for equal versions. An event without a version follows the highest version that had
 * arrived before it.
 */
export function inVersionOrder<E extends Versioned>(arrived: readonly E[]): E[] {
  let highest = '';
  const placed = arrived.map((event) => {
    if (event.version !== null && event.version > highest) highest = event.version;
    return { event, version: event.version ?? highest };
  });
  // The sort is stable: equal versions stay in arrival order.
  return placed.sort(byVersion).map(({ event }) => event);
}

/** The part of a version that says when the record changed: the kind of event and other ties follow it. */
export function changeOf(version: string): string {
  return version.split('/', 1)[0] ?? '';
}

/** Compares code units: versions have a fixed width, and a locale must not affect them. */
function byVersion(one: { readonly version: string }, other: { readonly version: string }): number {
  if (one.version === other.version) return 0;
  return one.version < other.version ? -1 : 1;
}

/** Returns the highest version; null when no event has one. */
export function highestVersion(events: Iterable<Versioned>): string | null {
  let highest: string | null = null;
  for (const { version } of events)
    if (version !== null && (highest === null || version > highest)) highest = version;
  return highest;
}
