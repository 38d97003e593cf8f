/** A Hono application that receives webhooks itself, through the Portaria library. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createPortaria, defineHandler, loadConfig } from 'portaria';

/** The application's own data: the status of each charge. */
const charges = new Map();

const chargeStatus = defineHandler({
  name: 'charge-status',
  on: ['charge.created', 'charge.updated'],
  handle: ({ data }) => {
    charges.set(data.id, data.status);
  },
});

const portaria = await createPortaria({
  config: loadConfig(process.env, process.cwd()),
  handlers: [chargeStatus],
  // The disk failed: stop at once. What was acknowledged is safe.
  onFatal: () => process.exit(1),
});

const app = new Hono()
  .get('/charges/:id', (context) => {
    const status = charges.get(Number(context.req.param('id')));
    return status === undefined ? context.notFound() : context.json({ status });
  })
  // POST /webhooks and GET /healthz.
  .route('/', portaria.app);

await portaria.dispatcher.start();
const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) =>
  console.log(`application on port ${port}`),
);

process.once('SIGTERM', () => {
  server.close();
  void portaria.stop();
});
