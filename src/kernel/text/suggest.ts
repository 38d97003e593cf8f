import { distance } from 'fastest-levenshtein';

/** The known word that `word` was probably meant to be; undefined when none is near. */
export function suggest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  // A third of the letters may be off: `comapny.craeted` still finds its kind.
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const apart = distance(word.toLowerCase(), candidate.toLowerCase());
    if (apart < least) [best, least] = [candidate, apart];
  }
  return best;
}
