import type { OpenAPIHono } from '@hono/zod-openapi';

/** OpenAPI 3.1 of the routes added so far, from the schemas that check and shape them. */
export function openApiDocument(
  app: OpenAPIHono,
  { token, version }: { readonly token: string | null; readonly version: string },
): ReturnType<OpenAPIHono['getOpenAPI31Document']> {
  if (token !== null)
    app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Portaria, private port',
      version,
      description:
        'Look at and operate a webhook receiver. Personal data is masked unless `unmask=true`. ' +
        'Instants are ISO 8601 in UTC.',
    },
    servers: [{ url: '/' }],
    ...(token !== null && { security: [{ token: [] }] }),
  });
}
