/** Serves the API reference. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { etag } from 'hono/etag';
import type { Endpoint } from '../../src/contract/api/endpoint.ts';
import { openApiDocument } from './open-api-document.ts';

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

  app.use('/docs/*', etag(), pageHeaders);
  app.get('/docs', (c) =>
    c.html(referencePage('Fleet and Driver Compliance Service: reference', '/openapi.json')),
  );
  app.get('/docs/page.js', (c) => c.body(pageScript, 200, { 'content-type': SCRIPT }));
  app.get('/docs/page.css', (c) => c.body(pageStyle, 200, { 'content-type': STYLE }));
  app.get('/docs/swagger-ui-bundle.js', (c) => sendFile(c, 'swagger-ui-bundle.js', SCRIPT));
  app.get('/docs/swagger-ui.css', (c) => sendFile(c, 'swagger-ui.css', STYLE));
  return app;
}

/** The headers of a page of Swagger UI and of its files. */
export const pageHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  c.header('content-security-policy', POLICY);
  c.header('x-content-type-options', 'nosniff');
  c.header('referrer-policy', 'no-referrer');
  c.header('cache-control', 'no-cache');
};

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** Sends a file of Swagger UI, which the build copies into `dist`. */
async function sendFile(c: Context, name: string, type: string): Promise<Response> {
  const bytes = await readFile(require.resolve(`swagger-ui-dist/${name}`));
  return c.body(new Uint8Array(bytes), 200, { 'content-type': type });
}

/** A page that shows an OpenAPI document and makes its requests: Swagger UI, without foreign or inline resources. */
export const referencePage = (title: string, source: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="stylesheet" href="/docs/page.css" />
    <script src="/docs/swagger-ui-bundle.js" defer></script>
    <script src="/docs/page.js" defer></script>
  </head>
  <body>
    <div id="reference" data-source="${source}">
      <noscript>This page needs JavaScript. Its source is the JSON at ${source}.</noscript>
    </div>
  </body>
</html>
`;

/** Starts Swagger UI. The API key stays in the memory of the page. */
const pageScript = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
SwaggerUIBundle({
  url: document.querySelector('#reference').dataset.source,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
});
`;

/** Styles that Swagger UI leaves to its page, and fixes for narrow screens. */
const pageStyle = `html { box-sizing: border-box; overflow-y: scroll; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; background: #fafafa; }
html.dark-mode body { background: #1c2022; }
.swagger-ui .info { margin: 30px 0 20px; }
.swagger-ui .scheme-container { padding: 16px 0; }
/* No response has links. */
.swagger-ui .response-col_links { display: none; }
@media (max-width: 640px) {
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { flex-basis: 100%; order: 1; padding: 4px 0 0; }
}
`;
