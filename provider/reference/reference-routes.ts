/** Serves the API reference. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Hono, type Context } from 'hono';
import { etag } from 'hono/etag';
import type { Endpoint } from '../../src/contract/api/endpoint.ts';
import { openApiDocument } from './open-api-document.ts';
import { pageScript, pageStyle, referencePage } from './reference-page.ts';

/** Allows resources of this origin only, and no inline script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const require = createRequire(import.meta.url);

/** Serves `/openapi.json` and the reference page at `/docs`. Neither needs a key: they hold no data. */
export function referenceRoutes(endpoints: readonly Endpoint[], version: string): Hono {
  const app = new Hono({ strict: false });
  // Built at the first request: most runs need none.
  let document: ReturnType<typeof openApiDocument> | undefined;
  app.get('/openapi.json', (c) => c.json((document ??= openApiDocument(endpoints, version))));

  app.use('/docs/*', etag(), async (c, next) => {
    await next();
    c.header('content-security-policy', POLICY);
    c.header('x-content-type-options', 'nosniff');
    c.header('referrer-policy', 'no-referrer');
    c.header('cache-control', 'no-cache');
  });
  app.get('/docs', (c) => c.html(referencePage));
  app.get('/docs/page.js', (c) => c.body(pageScript, 200, { 'content-type': SCRIPT }));
  app.get('/docs/page.css', (c) => c.body(pageStyle, 200, { 'content-type': STYLE }));
  app.get('/docs/swagger-ui-bundle.js', (c) => sendFile(c, 'swagger-ui-bundle.js', SCRIPT));
  app.get('/docs/swagger-ui.css', (c) => sendFile(c, 'swagger-ui.css', STYLE));
  return app;
}

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** Sends a file of Swagger UI, which the build copies into `dist`. */
async function sendFile(c: Context, name: string, type: string): Promise<Response> {
  const bytes = await readFile(require.resolve(`swagger-ui-dist/${name}`));
  return c.body(new Uint8Array(bytes), 200, { 'content-type': type });
}
