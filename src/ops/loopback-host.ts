import type { MiddlewareHandler } from 'hono';
import type { Failure } from './failure.ts';

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Lets through requests that were made to this machine by its own names.
 *
 * Without a token the loopback address is the only guard, and DNS rebinding
 * goes around it: a web page's own host name is pointed at 127.0.0.1, and the
 * browser then talks to this port as if it were the page's. The Host header
 * still carries that name.
 */
export const loopbackHost: MiddlewareHandler = async (c, next) => {
  const host = c.req.header('host') ?? new URL(c.req.url).host;
  const name = host.replace(/:\d*$/u, '').toLowerCase();
  if (loopback.has(name)) return next();
  return c.json(
    {
      error: 'Forbidden',
      message: 'Without PORTARIA_OPS_TOKEN only localhost, 127.0.0.1 and [::1] are answered',
    } satisfies Failure,
    403,
  );
};
