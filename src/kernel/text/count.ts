/** Formats a count with its noun: `1 event`, `2 events`, `2 bodies`. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${String(count)} ${count === 1 ? noun : plural}`;
}
