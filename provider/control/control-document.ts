/** The OpenAPI document of `/control`. */
import { OpenAPIHono } from '@hono/zod-openapi';
import { isOptionalBody, queryOf } from '../../src/contract/api/endpoint.ts';
import { errorBody } from '../../src/contract/api/response.ts';
import type { Control } from './control.ts';

const json = 'application/json';

/** Builds the OpenAPI 3.1 document from the declarations that also route and validate requests. */
export function controlDocument(
  controls: readonly Control[],
  { base, version }: { readonly base: string; readonly version: string },
): ReturnType<OpenAPIHono['getOpenAPI31Document']> {
  // It describes routes and serves none.
  const app = new OpenAPIHono();
  for (const { method, path, summary, params, filters, query, body } of controls)
    app.openAPIRegistry.registerPath({
      ...{ method, path: `${base}${path}`, summary },
      tags: [path.split('/')[1] ?? ''],
      request: {
        params,
        query: queryOf({ filters, query }),
        ...(body !== null && {
          body: { required: !isOptionalBody(body), content: { [json]: { schema: body } } },
        }),
      },
      responses: {
        200: { description: 'What it has done, or read.' },
        default: { description: 'Why it did nothing.', content: { [json]: { schema: errorBody } } },
      },
    });
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Controls of the provider',
      version,
      description:
        'They drive the provider by hand, from this machine only: its clock, scheduled steps, what agencies, portals and drivers decide, webhooks. None of them is part of the [specified interface](/docs).',
    },
  });
}
