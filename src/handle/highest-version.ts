/** The highest version of some events; null when none has one. Versions compare as plain strings. */
export function highestVersion(events: readonly { readonly version: string | null }[]): string | null {
  return events.reduce<string | null>(
    (highest, { version }) =>
      version !== null && (highest === null || version > highest) ? version : highest,
    null,
  );
}
