/** The responses to errors and to unknown routes. */
import type { ErrorHandler, Hono, NotFoundHandler } from 'hono';
import type { Logger } from '../../src/kernel/logger.ts';
import { HttpError } from './http-error.ts';

/** Responds to an error that a route threw. Any error but a HttpError is a defect: it is logged and not shown. */
export function respondWithError(log: Logger): ErrorHandler {
  return (error, c) => {
    if (error instanceof HttpError) return c.json(error.toJSON(), error.status, error.headers);
    log.error({ method: c.req.method, route: c.req.path, err: error }, 'A request failed unexpectedly');
    return c.json({ error: 'Internal Server Error', message: 'An unexpected error occurred' }, 500);
  };
}

/** Responds where no route matches: 405 when the path has other methods, 404 otherwise. */
export function respondNoRoute(app: Hono): NotFoundHandler {
  return (c) => {
    const { method, path } = c.req;
    const methods = methodsOf(app, path);
    if (methods.length === 0) {
      const error = new HttpError(404, `unknown path: ${path}; /openapi.json lists all`);
      return c.json(error.toJSON(), error.status);
    }
    const allow = methods.join(', ');
    const error = new HttpError(405, `${path} does not support ${method}, only ${allow}`);
    return c.json(error.toJSON(), error.status, { allow });
  };
}

function methodsOf({ routes }: Hono, path: string): string[] {
  const methods = routes
    // Routes for all methods are middleware.
    .filter((route) => route.method !== 'ALL' && matches(route.path, path))
    // Hono serves HEAD by the route of GET.
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...new Set(methods)];
}

/** @param pattern has `:name` for any one segment. @param path has no trailing slash. */
function matches(pattern: string, path: string): boolean {
  const expected = pattern.split('/');
  const given = path.split('/');
  return (
    expected.length === given.length &&
    expected.every((segment, at) => (segment.startsWith(':') ? given[at] !== '' : segment === given[at]))
  );
}
