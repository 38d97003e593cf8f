/** A server of node:http that receives webhooks itself, through the Portaria library. */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createPortaria, loadConfig } from 'portaria';
import { openPayments } from './payments.mjs';

const payments = openPayments(process.env.PAYMENTS ?? 'payments.db');

const portaria = await createPortaria({
  config: loadConfig(process.env, process.cwd()),
  handlers: [payments.handler],
  // The disk failed: stop at once. What was acknowledged is safe.
  onFatal: () => process.exit(1),
});
const receive = getRequestListener(portaria.app.fetch);

const server = createServer((request, response) => {
  // The body must be unread here: Portaria verifies the signature of its bytes.
  if (request.url.startsWith('/webhooks')) void receive(request, response);
  else if (request.url === '/payments') response.end(JSON.stringify(payments.all()));
  else response.writeHead(404).end();
});

await portaria.dispatcher.start();
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`application on port ${server.address().port}`),
);

async function stop() {
  server.close();
  // Running handlers finish before the database that they use is closed.
  await portaria.stop();
  payments.close();
}
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop());
