import type { MiddlewareHandler } from 'hono';
import type { Failure } from './failure.ts';

/**
 * Changes are asked for as JSON. A form on a foreign page cannot send that, and
 * a foreign script must ask first (CORS), which is never granted.
 */
export const jsonOnly: MiddlewareHandler = async (c, next) => {
  const reads = c.req.method === 'GET' || c.req.method === 'HEAD';
  if (reads || /^application\/json\s*(;|$)/iu.test(c.req.header('content-type') ?? '')) return next();
  return c.json(
    { error: 'Unsupported Media Type', message: 'Send content-type: application/json' } satisfies Failure,
    415,
  );
};
