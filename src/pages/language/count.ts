/** Writes numbers, and what is counted, in one language. */
import type { Language } from './languages.ts';

export interface Counting {
  readonly number: (value: number) => string;
  /** A number and the word for it: `1 delivery`, `1,200 deliveries`. By default the plural ends in s. */
  readonly many: (count: number, one: string, more?: string) => string;
  /** Names in a sentence: `a, b and c`. */
  readonly list: (names: readonly string[]) => string;
}

export const en = counting('en');
export const pt = counting('pt-BR');

function counting(tag: Language): Counting {
  const number = (value: number): string => value.toLocaleString(tag);
  return {
    number,
    list: (names) => new Intl.ListFormat(tag === 'en' ? 'en-GB' : tag).format(names),
    many: (count, one, more = `${one}s`) => `${number(count)} ${count === 1 ? one : more}`,
  };
}
