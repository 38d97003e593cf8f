/** The application of a new project that receives webhooks itself, for each framework. */

export const frameworks = ['express', 'fastify', 'hono'] as const;

export type Framework = (typeof frameworks)[number];

interface ServerPackages {
  readonly dependencies?: Readonly<Record<string, string>>;
  /** Types that a package does not have itself. */
  readonly types?: Readonly<Record<string, string>>;
}

const adapter = { '@hono/node-server': '^2.1.8' };

const packages: Readonly<Record<Framework, ServerPackages>> = {
  express: { dependencies: { ...adapter, express: '^5.3.0' }, types: { '@types/express': '^5.0.0' } },
  fastify: { dependencies: { ...adapter, fastify: '^5.12.8' } },
  hono: { dependencies: { ...adapter, hono: '^4.13.19' } },
};

/** Returns the packages that the application needs besides Portaria, in versions that it is tested with. */
export function serverPackages(framework: Framework | undefined): ServerPackages {
  return framework === undefined ? {} : packages[framework];
}

const listener = `import { getRequestListener } from '@hono/node-server';`;
const receive = 'const receive = getRequestListener(portaria.app.fetch);';

/** How each framework is imported, and what makes \`close\`. */
const texts: Readonly<Record<Framework, readonly [string, string]>> = {
  express: [
    `${listener}
import express from 'express';`,
    `${receive}
const app = express();
// Before express.json(): Portaria verifies the signature of the bytes. A path in app.use would be stripped.
app.all(/^\\/webhooks/, (request, response) => void receive(request, response));
app.get('/', (_request, response) => void response.send('The application'));
const server = app.listen(port, host, () => console.log(address));
const close = () => server.close();`,
  ],
  fastify: [
    `${listener}
import { fastify } from 'fastify';`,
    `${receive}
const app = fastify();
await app.register(async (scope) => {
  // No parser reads the body here: Portaria verifies the signature of the bytes. Other routes keep their parsers.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  scope.all('/webhooks*', (request, reply) => {
    reply.hijack();
    void receive(request.raw, reply.raw);
  });
});
app.get('/', () => 'The application');
await app.listen({ port, host });
console.log(address);
const close = () => app.close();`,
  ],
  hono: [
    `import { serve } from '@hono/node-server';
import { Hono } from 'hono';`,
    `const app = new Hono().get('/', (context) => context.text('The application')).route('/', portaria.app);
const server = serve({ fetch: app.fetch, port, hostname: host }, () => console.log(address));
const close = () => server.close();`,
  ],
};

export function serverFile(framework: Framework): string {
  const [imports, application] = texts[framework];
  return `/** The application. It receives webhooks at /webhooks, and runs the handlers of PORTARIA_HANDLERS. */
${imports}
import { createPortaria, loadConfig } from 'portaria';

const portaria = await createPortaria({
  config: loadConfig(process.env, process.cwd()),
  // The disk failed: stop at once. What was acknowledged is safe.
  onFatal: () => process.exit(1),
});
const host = process.env['PORTARIA_HOST'] ?? '127.0.0.1';
const port = Number(process.env['PORT'] ?? 3000);
const address = \`The application: http://\${host}:\${port}\`;

// Before the first webhook: what a crash has interrupted runs again.
await portaria.dispatcher.start();
${application}

async function stop() {
  await close();
  // Running handlers finish.
  await portaria.stop();
}
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop());
`;
}
