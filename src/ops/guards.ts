import type { Context, Hono, MiddlewareHandler } from 'hono';
import { equalsAny, fingerprint } from '../kernel/equal-secrets.ts';
import { isCrossOrigin, isLoopbackHost } from '../kernel/http/browser-guard.ts';
import { notFound } from './errors.ts';
import type { ErrorBody } from './responses.ts';

/** Requires `Authorization: Bearer <token>`; responds 401 otherwise. */
export function requireToken(token: string): MiddlewareHandler {
  const expected = [fingerprint(token)];
  return async (c, next) => {
    const given = /^Bearer +(.+)$/iu.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
    // Node decodes header bytes as Latin-1; clients write UTF-8.
    if (equalsAny(fingerprint(Buffer.from(given, 'latin1')), expected)) return next();
    c.header('www-authenticate', 'Bearer');
    const message = 'Send the token of PORTARIA_OPS_TOKEN as Authorization: Bearer <token>';
    return c.json({ error: 'Unauthorized', message } satisfies ErrorBody, 401);
  };
}

/**
 * Requires a loopback name in `Host`; responds 403 otherwise. Without a token
 * the loopback address is the only guard, and DNS rebinding bypasses it.
 */
export const requireLoopbackHost: MiddlewareHandler = async (c, next) => {
  if (isLoopbackHost(hostOf(c))) return next();
  const message = 'Without PORTARIA_OPS_TOKEN only localhost, 127.0.0.1 and [::1] are allowed';
  return c.json({ error: 'Forbidden', message } satisfies ErrorBody, 403);
};

/**
 * Rejects requests that a web page of another origin made; responds 403. The
 * page cannot read the response, but the request would be carried out.
 */
export const rejectForeignPages: MiddlewareHandler = async (c, next) => {
  const origin = c.req.header('origin');
  if (!isCrossOrigin({ host: hostOf(c), origin, site: c.req.header('sec-fetch-site') })) return next();
  const message = 'Web pages of other origins are rejected; send the request without a browser';
  return c.json({ error: 'Forbidden', message } satisfies ErrorBody, 403);
};

/**
 * Requires JSON for changes; responds 415 otherwise. A form on a foreign page
 * cannot send JSON, and a script needs a CORS permission that is never granted.
 */
export const requireJson: MiddlewareHandler = async (c, next) => {
  const reads = c.req.method === 'GET' || c.req.method === 'HEAD';
  if (reads || /^application\/json\s*(;|$)/iu.test(c.req.header('content-type') ?? '')) return next();
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

function hostOf(c: Context): string {
  return c.req.header('host') ?? new URL(c.req.url).host;
}
