/** The guards of the operators' API: token, role, origin and content type. */
import type { Hono, MiddlewareHandler } from 'hono';
import { asksUnmasked, auditVariables } from '../access/audited-request.ts';
import { grantOf, type Permission } from '../access/roles.ts';
import { visitorOf, type Access } from '../access/visitor.ts';
import { isCrossOrigin } from '../kernel/http/browser-guard.ts';
import { isReadMethod } from '../kernel/http/read-method.ts';
import { notFound } from './errors.ts';
import type { ErrorBody } from './responses.ts';

/**
 * Requires `Authorization: Bearer <token>`, or a person whom a trusted proxy names; responds 401 otherwise.
 * Without either the loopback address is the only guard, and DNS rebinding bypasses it: so a loopback name in
 * `Host` is required, and responds 403 otherwise.
 */
export function authenticate({ tokens, ...access }: Access): MiddlewareHandler {
  return async (c, next) => {
    const given = /^Bearer +(.+)$/iu.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
    // Node decodes header bytes as Latin-1; clients write UTF-8.
    const grant = grantOf(Buffer.from(given, 'latin1').toString(), tokens);
    const token = grant && { ...grant, session: '', endsAt: null };
    const visitor = await visitorOf(c, access, { token });
    if (visitor === 'foreign-host') {
      const message = 'Without PORTARIA_OPS_TOKEN only localhost, 127.0.0.1 and [::1] are allowed';
      return c.json({ error: 'Forbidden', message } satisfies ErrorBody, 403);
    }
    if (typeof visitor === 'string') {
      c.header('www-authenticate', 'Bearer');
      const message = 'Send the token of PORTARIA_OPS_TOKEN as Authorization: Bearer <token>';
      return c.json({ error: 'Unauthorized', message } satisfies ErrorBody, 401);
    }
    c.set('visitor', visitor);
    return next();
  };
}

/** Requests that name a person, or show where one is named. The ledger and its receipts name nobody. */
const namesPerson = (method: string, path: string): boolean =>
  path.startsWith('/api/erasures/plans') || (path === '/api/erasures' && !isReadMethod(method));

/**
 * Requires the roles that a request needs: to view, to unmask with `unmask=true` and where a person is named, and to
 * operate for a change.
 */
export const requireRole: MiddlewareHandler = async (c, next) => {
  const may = auditVariables(c).visitor?.may ?? [];
  const needed: Permission[] = [isReadMethod(c.req.method) ? 'view' : 'operate'];
  const unmasked = asksUnmasked(c);
  if (unmasked || namesPerson(c.req.method, c.req.path)) needed.push('unmask');
  const missing = needed.find((role) => !may.includes(role));
  if (missing === undefined) {
    c.set('unmasked', unmasked);
    return next();
  }
  const message = `This needs the role ${missing}: use the token of PORTARIA_OPS_TOKEN, or grant it in PORTARIA_OPS_USERS`;
  return c.json({ error: 'Forbidden', message } satisfies ErrorBody, 403);
};

/**
 * Rejects requests that a web page of another origin made; responds 403. The
 * page cannot read the response, but the request would be carried out.
 */
export function rejectForeignPages({ signOn }: Pick<Access, 'signOn'>): MiddlewareHandler {
  return async (c, next) => {
    if (!isCrossOrigin(signOn.browserHeaders(c))) return next();
    const message = 'Web pages of other origins are rejected; send the request without a browser';
    return c.json({ error: 'Forbidden', message } satisfies ErrorBody, 403);
  };
}

/**
 * Requires JSON for changes; responds 415 otherwise. A form on a foreign page
 * cannot send JSON, and a script needs a CORS permission that is never granted.
 */
export const requireJson: MiddlewareHandler = async (c, next) => {
  if (isReadMethod(c.req.method)) return next();
  if (/^application\/json\s*(;|$)/iu.test(c.req.header('content-type') ?? '')) return next();
  const message = 'Send content-type: application/json';
  return c.json({ error: 'Unsupported Media Type', message } satisfies ErrorBody, 415);
};

/**
 * Responds 404 for unknown paths, and 405 for methods that a path does not
 * have, before any guard that looks at the request's content.
 */
export function requireRoute(app: Pick<Hono, 'router'>): MiddlewareHandler {
  /** Middleware matches all methods; only routes name one. */
  const has = (method: string, path: string) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method !== 'ALL');

  return async (c, next) => {
    const { method, path } = c.req;
    if (has(method === 'HEAD' ? 'GET' : method, path)) return next();
    const allowed = ['GET', 'POST'].filter((each) => has(each, path)).join(', ');
    if (allowed === '') return notFound(c);
    c.header('allow', allowed);
    const message = `${path} does not support ${method}; it supports ${allowed}`;
    return c.json({ error: 'Method Not Allowed', message } satisfies ErrorBody, 405);
  };
}

/** Keeps responses out of caches, unless they allow it, and browsers from guessing content types. */
export const noStore: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.res.headers.has('cache-control')) c.header('cache-control', 'no-store');
  c.header('x-content-type-options', 'nosniff');
};
