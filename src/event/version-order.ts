interface Versioned {
  readonly version: string | null;
}

/**
 * A subject's events, given in the order of arrival, in the order they
 * happened, as far as it is known: by version, equal ones by arrival. An event
 * without a version keeps the place its arrival gives it, behind the highest
 * version that had arrived by then.
 */
export function inVersionOrder<E extends Versioned>(arrived: readonly E[]): E[] {
  let highest = '';
  const placed = arrived.map((event) => {
    if (event.version !== null && event.version > highest) highest = event.version;
    return { event, version: event.version ?? highest };
  });
  // A sort keeps the order of arrival among equal versions.
  return placed.sort(byVersion).map(({ event }) => event);
}

/** By code units: versions have a fixed width, and a locale has no say in them. */
function byVersion(one: { readonly version: string }, other: { readonly version: string }): number {
  if (one.version === other.version) return 0;
  return one.version < other.version ? -1 : 1;
}

/** The highest version of some events; null when none has one. */
export function highestVersion(events: Iterable<Versioned>): string | null {
  let highest: string | null = null;
  for (const { version } of events)
    if (version !== null && (highest === null || version > highest)) highest = version;
  return highest;
}
