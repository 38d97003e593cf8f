/** Suggests known words for misspelled ones. */
import { distance } from 'fastest-levenshtein';

/** Returns the known word closest to a misspelled one; undefined when none is close. */
export function suggest(word: string, known: Iterable<string>): string | undefined {
  let closest: string | undefined;
  // A third of the letters may differ: `comapny.craeted` still finds its kind.
  let limit = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < limit) [closest, limit] = [candidate, edits];
  }
  return closest;
}
