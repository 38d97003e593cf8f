import type { Hono, NotFoundHandler } from 'hono';
import { Refusal } from './refusal.ts';

/** Answers what no route of the app takes: 405 when its path takes other methods, 404 otherwise. */
export function answerNoRoute(app: Hono): NotFoundHandler {
  return (c) => {
    const { method, path } = c.req;
    const methods = methodsOf(app, path);
    if (methods.length === 0) {
      const refusal = new Refusal(404, `There is no ${path}; /openapi.json lists what there is`);
      return c.json(refusal.toJSON(), refusal.status);
    }
    const allow = methods.join(', ');
    const refusal = new Refusal(405, `${path} does not take ${method}, only ${allow}`);
    return c.json(refusal.toJSON(), refusal.status, { allow });
  };
}

function methodsOf({ routes }: Hono, path: string): string[] {
  const methods = routes
    // What is for all methods is no route but runs before them.
    .filter((route) => route.method !== 'ALL' && isPathOf(route.path, path))
    // Whatever answers GET answers HEAD, too.
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...new Set(methods)];
}

/** @param routed with `:id` for any one segment. @param path as Hono routes it, without a slash at the end. */
function isPathOf(routed: string, path: string): boolean {
  const wanted = routed.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((segment, at) => (segment.startsWith(':') ? given[at] !== '' : segment === given[at]))
  );
}
