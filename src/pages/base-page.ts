/** What the document, lists and times of all pages need. */
import { createContext, useContext } from 'hono/jsx';
import type { Assets } from './assets.ts';
import type { Format } from './language/format.ts';
import type { Language } from './language/languages.ts';

/** The words of the document, of lists and of errors, which every page has. */
interface PageWords {
  readonly frame: Readonly<Record<'menu' | 'skip', string>> & {
    readonly visitor: (name: string) => string;
    readonly languages: Readonly<Record<Language, string>>;
  };
  readonly list: Readonly<Record<'next' | 'first' | 'any' | 'filter' | 'timeNote', string>>;
  readonly errors: Readonly<Record<'stale' | 'staleWhy' | 'failed', string>>;
}

/** What the document, lists and times need of the request that they are rendered for. */
export interface BasePage {
  readonly words: PageWords;
  readonly format: Format;
  readonly language: Language;
  /** The token that every form carries. */
  readonly formToken: string;
  /** The address of the page, with its filters. */
  readonly url: URL;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly assets: Assets;
}

export const CurrentBasePage = createContext<BasePage | null>(null);

/** Returns the page that is being rendered. */
export function useBasePage(): BasePage {
  const page = useContext(CurrentBasePage);
  if (page === null) throw new Error('a component was rendered outside a page');
  return page;
}

/** Returns the page's address with some parameters changed; `null` removes one. Cursors never survive. */
export function addressWith(url: URL, changes: Readonly<Record<string, string | null>>): string {
  const next = new URL(url);
  next.searchParams.delete('after');
  next.searchParams.delete('before');
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  }
  return `${next.pathname}${next.search}`;
}
