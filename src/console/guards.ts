/** The guards of the console: session, origin and permissions. */
import type { MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Permission, Visitor } from '../access/roles.ts';
import { visitorOf } from '../access/visitor.ts';
import { isReadMethod } from '../kernel/http/read-method.ts';
import { ownAddress } from '../pages/own-address.ts';
import type { ConsoleContext, ConsoleDeps, ConsoleEnv } from './console-deps.ts';
import type { Sessions } from './session.ts';
import { FormRejection } from '../pages/form-guard.ts';

export const SESSION_COOKIE = 'portaria_session';

/** Why the console rejects a request. The app renders it as a page. */
export class ConsoleRejection extends Error {
  readonly reason: 'sign-in' | 'unnamed' | 'unusable-name' | 'rebound' | Permission;
  readonly status: 401 | 403;

  constructor(reason: ConsoleRejection['reason'], status: ConsoleRejection['status'] = 403) {
    super(`the console rejected a request: ${reason}`);
    this.reason = reason;
    this.status = status;
  }
}

/**
 * Finds the visitor of a request: the person whom a trusted proxy names, or the one of its session cookie;
 * when nobody has to sign in, whoever addresses a loopback name.
 *
 * @throws ConsoleRejection `sign-in` without a valid session, and what is wrong with a name of a proxy
 */
export function authenticate(
  {
    tokens,
    signOn,
    isOpen,
    clock,
    store,
  }: Pick<ConsoleDeps, 'tokens' | 'signOn' | 'isOpen' | 'clock' | 'store'>,
  sessions: Sessions,
): MiddlewareHandler<ConsoleEnv> {
  const hasTokens = tokens.all !== null || tokens.view !== null;
  return async (c, next) => {
    const session = async (): Promise<Visitor | undefined> => {
      const cookie = hasTokens ? getCookie(c, SESSION_COOKIE) : undefined;
      const found = sessions.visitor(cookie ?? '', clock.now());
      return found === undefined || (await store.isSessionEnded(found.session)) ? undefined : found;
    };
    const visitor = await visitorOf(c, { signOn, isOpen }, { session });
    if (visitor === 'foreign-host') throw new FormRejection('foreign');
    if (visitor === 'rebound') throw new ConsoleRejection('rebound');
    if (typeof visitor === 'string')
      throw new ConsoleRejection(visitor === 'unknown' ? 'sign-in' : visitor, 401);
    c.set('visitor', visitor);
    return next();
  };
}

/**
 * Rejects what pages of other origins load: an image or a frame of a page would make this server work, and write
 * into the audit that its visitor read it. A link of another page leads here, but never to personal data in
 * plain text: it shows the masked page, whose button unmasks it.
 */
export function requireOwnReads({ signOn }: Pick<ConsoleDeps, 'signOn'>): MiddlewareHandler<ConsoleEnv> {
  return async (c, next) => {
    if (!isReadMethod(c.req.method)) return next();
    const { site } = signOn.browserHeaders(c);
    if (site !== 'cross-site' && site !== 'same-site') return next();
    const isLink =
      c.req.header('sec-fetch-mode') === 'navigate' && c.req.header('sec-fetch-dest') === 'document';
    if (!isLink) throw new FormRejection('foreign');
    const { pathname, searchParams } = new URL(c.req.url);
    if (!searchParams.has('unmask')) return next();
    searchParams.delete('unmask');
    const query = searchParams.toString();
    return c.redirect(ownAddress(query === '' ? pathname : `${pathname}?${query}`), 303);
  };
}

/** Requires a permission of the visitor. `startOperations` calls it for every form and every unmasked page. */
export function requirePermission(c: ConsoleContext, permission: Permission): void {
  if (!c.get('visitor').may.includes(permission)) throw new ConsoleRejection(permission);
}
