/** The page that is being rendered, for all components of the console. */
import { createContext, useContext } from 'hono/jsx';
import type { Contract } from '../contract/contract.ts';
import type { Permission, Visitor } from '../access/roles.ts';
import type { BasePage } from '../pages/base-page.ts';
import type { Words } from './language/words.ts';

/** What every component of the console may need of the request that it is rendered for. */
export interface Page extends BasePage {
  readonly words: Words;
  readonly visitor: Visitor;
  /** Whether the visitor signed in and can sign out. */
  readonly signedIn: boolean;
  /** Numbers beside the navigation's entries; null until they are known. */
  readonly counts: Readonly<Record<'failures' | 'quarantine' | 'handlers', number>> | null;
  /** Whether the process defines a machine. */
  readonly hasMachines: boolean;
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
