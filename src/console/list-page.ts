/** The `after` of an address names the last row of the page before: an event, a delivery or an entry. */
export function isCursor(after: string | null): after is string {
  return after !== null && /^(?:[0-9a-z]+-|[dqr])?\d+$/u.test(after);
}
