/** Formats milliseconds since 1970 as ISO 8601 in UTC. */
export function instantText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** As {@link instantText}; null stays null. */
export function instantTextOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : instantText(milliseconds);
}
