import type { MiddlewareHandler } from 'hono';

/** What operators see is neither kept on the way nor taken for anything but what it says it is. */
export const noStore: MiddlewareHandler = async (c, next) => {
  await next();
  c.header('cache-control', 'no-store');
  c.header('x-content-type-options', 'nosniff');
};
