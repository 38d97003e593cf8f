/** The page at `/docs`: Swagger UI over `/openapi.json`, without foreign or inline resources. */
export const referencePage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Fleet and Driver Compliance Service: reference</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="stylesheet" href="/docs/page.css" />
    <script src="/docs/swagger-ui-bundle.js" defer></script>
    <script src="/docs/page.js" defer></script>
  </head>
  <body>
    <div id="reference">
      <noscript>This page needs JavaScript. Its source is <a href="/openapi.json">/openapi.json</a>.</noscript>
    </div>
  </body>
</html>
`;

/** Starts Swagger UI. The API key stays in the memory of the page. */
export const pageScript = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
SwaggerUIBundle({
  url: '/openapi.json',
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
export const pageStyle = `html { box-sizing: border-box; overflow-y: scroll; }
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
