/** The language of a visitor. */
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { acceptedLanguage, isLanguage, type Language } from './languages.ts';

const COOKIE = 'portaria_language';

/** Seconds for which a browser keeps the choice: a year. */
const MAX_AGE_S = 31_536_000;

/** The language that the visitor has chosen, or else the browser's. */
export function languageOf(c: Context): Language {
  const chosen = getCookie(c, COOKIE);
  return isLanguage(chosen) ? chosen : acceptedLanguage(c.req.header('accept-language'));
}

/** Keeps the language that a form names. An unknown one changes nothing. */
export function chooseLanguage(c: Context, fields: URLSearchParams): void {
  const tag = fields.get('language') ?? undefined;
  if (isLanguage(tag))
    setCookie(c, COOKIE, tag, { path: '/', sameSite: 'Strict', httpOnly: true, maxAge: MAX_AGE_S });
}
