/** The languages of all pages, by their tags (BCP 47). */
export const languageTags = ['en', 'pt-BR'] as const;

export type Language = (typeof languageTags)[number];

export function isLanguage(tag: string | undefined): tag is Language {
  return languageTags.some((each) => each === tag);
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
