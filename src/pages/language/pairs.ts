/** Words in both languages beside each other, and one language of them. */
import { languageTags, type Language } from './languages.ts';

/** In English, and in Brazilian Portuguese. */
export type Pair<Word = string> = readonly [english: Word, portuguese: Word];

/** Words by name, in groups. A function forms a sentence with numbers and names. */
export interface Pairs {
  readonly [name: string]: Pair<unknown> | ((...facts: never[]) => Pair) | Pairs;
}

/** The words of one language. */
export type Spoken<Words> =
  Words extends Pair<infer Word>
    ? Word
    : Words extends (...facts: infer Facts) => Pair
      ? (...facts: Facts) => string
      : { readonly [Name in keyof Words]: Spoken<Words[Name]> };

/** The words of a language, from those of both. */
export function spoken<Words extends Pairs>(words: Words, language: Language): Spoken<Words> {
  return choose(words, languageTags.indexOf(language)) as Spoken<Words>;
}

function choose(words: unknown, at: number): unknown {
  if (Array.isArray(words)) return words[at];
  if (typeof words === 'function')
    return (...facts: never[]) => (words as (...facts: never[]) => Pair)(...facts)[at];
  return Object.fromEntries(Object.entries(words as Pairs).map(([name, each]) => [name, choose(each, at)]));
}
