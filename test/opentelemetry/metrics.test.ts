/** What an application with OpenTelemetry measures of Portaria. */
import { metrics } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { GiveUp } from '../../src/handle/define/outcome.ts';
import { post, registerSdk, startPortaria } from './kit/application.ts';

const common = (operation: string) => ({
  'messaging.system': 'portaria',
  'messaging.operation.name': operation,
  'messaging.operation.type': operation,
});
const handler = defineHandler({
  name: 'billing',
  on: '*',
  handle: ({ data }) => ((data as { id?: number }).id === 1 ? GiveUp('no customer') : undefined),
});

test('webhooks are counted by source and attempts by handler, failures by their class', async () => {
  const { points } = registerSdk();
  const portaria = await startPortaria({ handlers: [handler] });

  await post(portaria);
  await post(portaria, { data: { id: 1 } });
  await post(portaria, { headers: { 'x-webhook-signature': 'no' } });

  const received = { ...common('receive'), 'messaging.destination.name': 'default' };
  const processed = { ...common('process'), 'messaging.destination.subscription.name': 'billing' };
  expect(await points('messaging.client.consumed.messages')).toMatchObject([
    { attributes: received, value: 2 },
  ]);
  expect(await points('messaging.client.operation.duration')).toMatchObject([
    { attributes: received, value: { count: 2 } },
    { attributes: { ...received, 'error.type': 'not-verified' }, value: { count: 1 } },
  ]);
  expect(await points('messaging.process.duration')).toMatchObject([
    { attributes: { ...processed, 'portaria.result': 'succeeded' }, value: { count: 1 } },
    { attributes: { ...processed, 'portaria.result': 'dead', 'error.type': 'dead' }, value: { count: 1 } },
  ]);
});

test('a meter provider that replaces another gets what is measured from then on', async () => {
  registerSdk();
  const portaria = await startPortaria({ handlers: [handler] });
  await post(portaria);

  metrics.disable();
  const { points } = registerSdk();
  await post(portaria, { data: { id: 2 } });

  expect(await points('messaging.client.consumed.messages')).toMatchObject([{ value: 1 }]);
});
