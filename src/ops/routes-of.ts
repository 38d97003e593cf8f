/** Declares the routes of the operators' API. */
import { createRoute, type RouteConfig } from '@hono/zod-openapi';

/** What a route declares beside its method, its path and its tag. */
type Route = Omit<RouteConfig, 'method' | 'path' | 'tags'>;

/** Returns what declares routes under a tag of the OpenAPI document. */
export function routesOf(tag: string) {
  return {
    get: <P extends string, R extends Route>(path: P, route: R) =>
      createRoute({ ...route, method: 'get', path, tags: [tag] }),
    post: <P extends string, R extends Route>(path: P, route: R) =>
      createRoute({ ...route, method: 'post', path, tags: [tag] }),
  };
}
