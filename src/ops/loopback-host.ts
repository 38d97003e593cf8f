import type { MiddlewareHandler } from 'hono';
import { isLoopbackHost } from '../kernel/http/browser-guard.ts';
import type { Failure } from './failure.ts';

/**
 * Lets through requests that were made to this machine by its own names. Without a token the loopback address
 * is the only guard, and DNS rebinding goes around it.
 */
export const loopbackHost: MiddlewareHandler = async (c, next) => {
  if (isLoopbackHost(c.req.header('host') ?? new URL(c.req.url).host)) return next();
  return c.json(
    {
      error: 'Forbidden',
      message: 'Without PORTARIA_OPS_TOKEN only localhost, 127.0.0.1 and [::1] are answered',
    } satisfies Failure,
    403,
  );
};
