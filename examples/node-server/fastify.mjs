/** A Fastify application that receives webhooks itself, through the Portaria library. */
import { getRequestListener } from '@hono/node-server';
import { fastify } from 'fastify';
import { createPortaria, loadConfig } from 'portaria';
import { openPayments } from './payments.mjs';

const payments = openPayments(process.env.PAYMENTS ?? 'payments.db');

const portaria = await createPortaria({
  config: loadConfig(process.env, process.cwd()),
  handlers: [payments.handler],
  onFatal: () => process.exit(1),
});
const receive = getRequestListener(portaria.app.fetch);

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
app.get('/payments', () => payments.all());

await portaria.dispatcher.start();
const address = await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });
console.log(`application on port ${new URL(address).port}`);

async function stop() {
  await app.close();
  await portaria.stop();
  payments.close();
}
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop());
