import { serve } from '@hono/node-server';
import { Hono } from 'hono';

/**
 * The common part of the peers: Hono parses the JSON and responds with 202 after
 * `keep` has resolved. Prints its port for the parent process.
 *
 * @param {(event: any) => Promise<unknown> | undefined} keep
 * @param {() => import('../rows/steady-rate.mjs').Progress} [progress] what is received and finished so far
 */
export function servePeer(keep, progress) {
  const app = new Hono();
  app.get('/progress', (context) => context.json(progress?.() ?? {}));
  app.post('/webhooks', async (context) => {
    const event = await context.req.json();
    await keep(event);
    return context.json({ status: 'accepted', kind: event.type }, 202);
  });
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
    process.stdout.write(`${JSON.stringify({ port })}\n`);
  });
}
