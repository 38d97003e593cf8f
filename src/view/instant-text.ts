/** Milliseconds since 1970 as ISO 8601 in UTC, as every view shows instants. */
export function instantText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** As {@link instantText}, for what has not happened (yet). */
export function instantTextOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : instantText(milliseconds);
}
