/** Translates sentences that other parts of Portaria write in English. */
import { checkPhrases } from './check-phrases.ts';
import { fieldMeanings } from './field-meanings.ts';
import { kindTitles } from './kind-titles.ts';
import { problemPhrases } from './problem-phrases.ts';
import { requestPhrases } from './request-phrases.ts';
import type { Phrases } from './phrases.ts';
import type { Language } from '../../../pages/language/languages.ts';

/** Longer texts are not looked up: they quote what somebody else wrote. */
const MAX_TEXT = 1_000;
/** Phrases within phrases. */
const MAX_DEPTH = 4;

const all: Phrases = {
  ...problemPhrases,
  ...checkPhrases,
  ...requestPhrases,
  ...kindTitles,
  ...fieldMeanings,
};

const texts = new Map(Object.entries(all));

interface Pattern {
  readonly english: RegExp;
  readonly portuguese: string;
}

let patterns: readonly Pattern[] | undefined;

/**
 * Translates an English sentence of another part of Portaria to the language of a page: the result of a check, an
 * issue of a webhook, the description of a field. Null for a text that is in no catalogue.
 */
export function translate(language: Language, english: string): string | null {
  return language === 'en' ? english : inPortuguese(english, 0);
}

function inPortuguese(text: string, depth: number): string | null {
  const known = texts.get(text);
  if (known !== undefined) return known;
  if (depth === MAX_DEPTH || text.length > MAX_TEXT) return null;
  patterns ??= [...texts].filter(([english]) => english.includes('{}')).map(patternOf);
  for (const { english, portuguese } of patterns) {
    const parts = english.exec(text)?.slice(1);
    if (parts !== undefined) return filled(portuguese, parts, depth);
  }
  return null;
}

function patternOf([english, portuguese]: readonly [string, string]): Pattern {
  const literal = english
    .split('{}')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`));
  return { english: new RegExp(`^${literal.join('(.+?)')}$`, 'su'), portuguese };
}

function filled(portuguese: string, parts: readonly string[], depth: number): string {
  const left = [...parts];
  return portuguese.replaceAll(/\{,?\}/gu, (place) => {
    const part = left.shift() ?? '';
    return place === '{,}' ? part.replace('.', ',') : (inPortuguese(part, depth + 1) ?? part);
  });
}
