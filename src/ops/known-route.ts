import type { Hono, MiddlewareHandler } from 'hono';
import { answerNotFound } from './answer-error.ts';
import type { Failure } from './failure.ts';

const methods = ['GET', 'POST'] as const;

/**
 * Answers what no route of the app does, 404, or 405 when the path has another
 * method, before anybody complains of the request's content.
 */
export function knownRoute(app: Pick<Hono, 'router'>): MiddlewareHandler {
  /** Middleware is there for all methods; routes name theirs. */
  const has = (method: string, path: string) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method !== 'ALL');

  return async (c, next) => {
    const { method, path } = c.req;
    if (has(method === 'HEAD' ? 'GET' : method, path)) return next();
    const allowed = methods.filter((each) => has(each, path)).join(', ');
    if (allowed === '') return answerNotFound(c);
    c.header('allow', allowed);
    return c.json(
      {
        error: 'Method Not Allowed',
        message: `There is no ${method} ${path}; it takes ${allowed}`,
      } satisfies Failure,
      405,
    );
  };
}
