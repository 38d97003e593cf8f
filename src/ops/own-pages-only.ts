import type { MiddlewareHandler } from 'hono';
import { isCrossOrigin } from '../kernel/http/browser-guard.ts';
import type { Failure } from './failure.ts';

/**
 * Refuses what a web page of another origin had a browser ask. The page could not read the answer, but the
 * request would be carried out.
 */
export const ownPagesOnly: MiddlewareHandler = async (c, next) => {
  const browser = {
    host: c.req.header('host') ?? new URL(c.req.url).host,
    origin: c.req.header('origin'),
    site: c.req.header('sec-fetch-site'),
  };
  if (!isCrossOrigin(browser)) return next();
  return c.json(
    {
      error: 'Forbidden',
      message: 'Web pages of other origins are not answered; ask without a browser, or type the address',
    } satisfies Failure,
    403,
  );
};
