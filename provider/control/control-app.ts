/** The app at `/control`. */
import { Hono, type MiddlewareHandler } from 'hono';
import type { Logger } from '../../src/kernel/logger.ts';
import { respondWithError } from '../http/error-responses.ts';
import { HttpError } from '../http/http-error.ts';
import { routedPath } from '../http/routed-path.ts';
import { pageHeaders, referencePage } from '../reference/reference-routes.ts';
import type { ControlDeps } from './control.ts';
import { controlDocument } from './control-document.ts';
import { allControls } from './all-controls.ts';
import { getConnInfo } from '@hono/node-server/conninfo';
import { isCrossOrigin } from '../../src/kernel/http/browser-guard.ts';

const BASE = '/control';

/**
 * Creates the app at `/control`, which drives the provider by hand: its clock, scheduled
 * steps, decisions of agencies, portals and drivers, webhooks. It is not part of the
 * specified interface: it has no API key and serves this machine only. `/control` describes
 * all of it: to a browser as a page that makes requests, to a program as OpenAPI.
 */
export function createControlApp(
  deps: ControlDeps,
  { log, version }: { readonly log: Logger; readonly version: string },
): Hono {
  const app = new Hono({ strict: false }).basePath(BASE);
  app.onError(respondWithError(log));
  app.notFound((c) => {
    const error = new HttpError(404, `unknown path: ${c.req.method} ${c.req.path}; GET ${BASE} lists all`);
    return c.json(error.toJSON(), 404);
  });
  app.use(loopbackOnly);
  let document: ReturnType<typeof controlDocument> | undefined;
  app.get('/', pageHeaders, (c) => {
    c.header('vary', 'accept');
    if (c.req.header('accept')?.includes('text/html') === true)
      return c.html(referencePage('Controls of the provider', BASE));
    return c.json((document ??= controlDocument(allControls, { base: BASE, version })));
  });
  for (const { method, path, respond } of allControls)
    app.on(method, [routedPath(path)], async (c) => c.json(await respond(c, deps)));
  return app;
}

/** Headers that proxies add. */
const forwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const;

/**
 * Rejects requests that do not come from this machine, by the address of the socket. Also
 * rejects web pages of other origins (other ports included), foreign host names (DNS
 * rebinding) and proxies, which all make requests from this machine for others.
 */
const loopbackOnly: MiddlewareHandler = async (c, next) => {
  const { address } = getConnInfo(c).remote;
  if (address === undefined || !isLoopbackAddress(address))
    throw new HttpError(403, 'Only requests from this machine are allowed: use 127.0.0.1', 'Forbidden');
  if (forwarded.some((name) => c.req.header(name) !== undefined))
    throw new HttpError(403, 'Requests through a proxy are not allowed', 'Forbidden');
  const host = c.req.header('host') ?? '';
  if (!isLoopbackHost(nameOf(`http://${host}`)))
    throw new HttpError(403, 'Host: use localhost, 127.0.0.1 or [::1]', 'Forbidden');
  if (isCrossOrigin({ host, origin: c.req.header('origin'), site: c.req.header('sec-fetch-site') }))
    throw new HttpError(403, 'Requests from web pages of other origins are not allowed', 'Forbidden');
  await next();
};

/** A dual-stack socket reports IPv4 as `::ffff:127.0.0.1`. */
function isLoopbackAddress(address: string): boolean {
  return address === '::1' || address.replace(/^::ffff:/u, '').startsWith('127.');
}

function isLoopbackHost(name: string | null): boolean {
  return name === 'localhost' || name === '[::1]' || name === '127.0.0.1';
}

/** Returns the host name of a URL; null for an invalid one. */
function nameOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).hostname : null;
}
