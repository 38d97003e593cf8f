import { createContext, useContext } from 'hono/jsx';
import type { Contract } from '../contract/contract.ts';
import type { Permission, Visitor } from './access.ts';
import type { Assets } from './assets.ts';
import type { Format } from './language/format.ts';
import type { Words } from './language/english.ts';
import type { Language } from './language/words.ts';

/** What every component may need of the request that it is rendered for. */
export interface Page {
  readonly words: Words;
  readonly format: Format;
  readonly language: Language;
  readonly visitor: Visitor;
  /** The token that every form carries. */
  readonly formToken: string;
  /** The address of the page, with its filters. */
  readonly url: URL;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly assets: Assets;
  /** Whether the visitor signed in and can sign out. */
  readonly signedIn: boolean;
  /** Numbers beside the navigation's entries; null until they are known. */
  readonly counts: {
    readonly failures: number;
    readonly quarantine: number;
    readonly handlers: number;
  } | null;
  /** Whether personal data is shown. Only for visitors who may unmask. */
  readonly unmask: boolean;
  /** The kinds that the process knows: it says which fields are personal. */
  readonly contract: Contract;
}

export const CurrentPage = createContext<Page | null>(null);

/** Returns the page that is being rendered. */
export function usePage(): Page {
  const page = useContext(CurrentPage);
  if (page === null) throw new Error('a component of the console was rendered outside a page');
  return page;
}

export function may({ visitor }: Pick<Page, 'visitor'>, permission: Permission): boolean {
  return visitor.may.includes(permission);
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
