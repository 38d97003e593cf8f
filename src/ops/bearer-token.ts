import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { Failure } from './failure.ts';

/** Lets through requests with `Authorization: Bearer <token>`, and answers 401 to others. */
export function bearerToken(token: string): MiddlewareHandler {
  const expected = digest(token);
  return async (c, next) => {
    const given = /^Bearer +(.+)$/iu.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
    // Digests are of one length, so the time tells nothing of the token, its length included.
    if (timingSafeEqual(digest(given), expected)) return next();
    c.header('www-authenticate', 'Bearer');
    return c.json(
      {
        error: 'Unauthorized',
        message: 'Send the token of PORTARIA_OPS_TOKEN as Authorization: Bearer <token>',
      } satisfies Failure,
      401,
    );
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
