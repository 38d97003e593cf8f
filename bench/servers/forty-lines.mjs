/**
 * What people write instead of Portaria: the framework, a schema, a table with a unique digest, one synced commit
 * for each request. Handlers, order, retries, quarantine, replay, erasure and a console would come on top.
 *
 * Argument: the path of the database.
 */
import { createHash } from 'node:crypto';
import { serve } from '@hono/node-server';
import Database from 'better-sqlite3';
import { Hono } from 'hono';
import { z } from 'zod';

const Webhook = z.object({
  type: z.string().min(1),
  data: z.looseObject({ id: z.number().int() }),
});

const database = new Database(process.argv[2]);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec(`create table if not exists webhooks (
  id integer primary key, digest blob not null unique, type text not null, body text not null, received_at text not null
)`);
const insert = database.prepare(
  'insert into webhooks (digest, type, body, received_at) values (?, ?, ?, ?) on conflict do nothing',
);

const app = new Hono();
app.post('/webhooks', async (context) => {
  const body = await context.req.text();
  const webhook = Webhook.safeParse(JSON.parse(body));
  if (!webhook.success) return context.json({ error: z.prettifyError(webhook.error) }, 422);
  const digest = createHash('sha256').update(body).digest();
  const { changes } = insert.run(digest, webhook.data.type, body, new Date().toISOString());
  return changes === 0
    ? context.json({ status: 'duplicate' }, 200)
    : context.json({ status: 'accepted' }, 202);
});

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ port })}\n`);
});
