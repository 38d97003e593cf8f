import { english, type Words } from './english.ts';
import { portuguese } from './portuguese.ts';

/** The languages of the console, by their tags (BCP 47). */
export const languages = { en: english, 'pt-BR': portuguese } satisfies Record<string, Words>;

export type Language = keyof typeof languages;

export const languageTags = Object.keys(languages) as readonly Language[];

export function isLanguage(tag: string | undefined): tag is Language {
  return tag !== undefined && Object.hasOwn(languages, tag);
}

/** Chooses the language of an `Accept-Language` header; English without a match. */
export function acceptedLanguage(header: string | undefined): Language {
  const wanted = (header ?? '').split(',').map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '');
  for (const tag of wanted) {
    const found = languageTags.find((each) => each.toLowerCase().split('-')[0] === tag.split('-')[0]);
    if (found !== undefined) return found;
  }
  return 'en';
}
