/** An Express application that receives webhooks itself, through the Portaria library. */
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import { createPortaria, loadConfig } from 'portaria';
import { openPayments } from './payments.mjs';

const payments = openPayments(process.env.PAYMENTS ?? 'payments.db');

const portaria = await createPortaria({
  config: loadConfig(process.env, process.cwd()),
  handlers: [payments.handler],
  onFatal: () => process.exit(1),
});
const receive = getRequestListener(portaria.app.fetch);

const app = express();
// Before express.json(): Portaria verifies the signature of the bytes. A path in `app.use` would be stripped.
app.all(/^\/webhooks/, (request, response) => void receive(request, response));
app.use(express.json());
app.get('/payments', (_request, response) => response.json(payments.all()));

await portaria.dispatcher.start();
const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`application on port ${server.address().port}`),
);

async function stop() {
  server.close();
  await portaria.stop();
  payments.close();
}
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop());
