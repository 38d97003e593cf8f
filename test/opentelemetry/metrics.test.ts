/** What an application with OpenTelemetry measures of Portaria. */
import { metrics } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { defineMachine } from '../../src/handle/define/machine.ts';
import { Discard, GiveUp, RetryLater } from '../../src/handle/define/outcome.ts';
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
    { attributes: { ...processed, 'portaria.result': 'dead', 'error.type': 'gave-up' }, value: { count: 1 } },
  ]);
});

test('names of sources that nobody configured are one series', async () => {
  const { points } = registerSdk();
  const portaria = await startPortaria({ handlers: [] });

  for (const name of ['made-up-1', 'made-up-2', 'a/path'])
    await portaria.app.request(`/webhooks/${name}`, { method: 'POST', body: '{}' });

  const about = { ...common('receive'), 'messaging.destination.name': 'unknown' };
  expect(await points('messaging.client.operation.duration')).toMatchObject([
    { attributes: { ...about, 'error.type': 'unknown-source' }, value: { count: 2 } },
    { attributes: { ...about, 'error.type': 'unknown-path' }, value: { count: 1 } },
  ]);
});

describe('attempts are measured', () => {
  const asks = defineHandler({
    name: 'asks',
    on: '*',
    retry: { attempts: 3, baseMs: 0 },
    handle(_event, { attempt }) {
      if (attempt === 1) throw new RangeError('no such customer');
      return attempt === 2 ? RetryLater(0) : Discard('nothing to pay');
    },
  });

  test('with the result and the failure of their spans', async () => {
    const { points, spans } = registerSdk();
    const portaria = await startPortaria({ handlers: [asks] });

    await post(portaria);

    const told = [
      ['retry', 'RangeError'],
      ['retry', undefined],
      ['skipped', undefined],
    ];
    const of = ({ attributes }: { readonly attributes: object }): unknown[] => [
      Reflect.get(attributes, 'portaria.result'),
      Reflect.get(attributes, 'error.type'),
    ];
    expect((await points('messaging.process.duration')).map(of)).toEqual(told);
    expect(spans('process asks').map(of)).toEqual(told);
  });

  test('where they ran: not of an event that the provider says is superseded', async () => {
    const { points } = registerSdk();
    const charge = { amount: 92.41, company: { id: 1 } };
    const client = createClient({
      url: 'http://provider.example',
      apiKey: 'key',
      fetch: () =>
        Promise.resolve(Response.json({ data: { id: 99, type: 'fee', status: 'overdue', ...charge } })),
    });
    const portaria = await startPortaria({ handlers: [handler], client });

    for (const status of ['paid', 'overdue', 'paid']) await post(portaria, { data: { ...charge, status } });

    const deliveries = await portaria.store.deliveries({}, { order: 'oldest', limit: 5 });
    expect(deliveries.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'skipped']);
    expect(await points('messaging.process.duration')).toMatchObject([
      { attributes: { 'portaria.result': 'succeeded' }, value: { count: 2 } },
    ]);
  });

  test('of folds, too, which have no span', async () => {
    const { points } = registerSdk();
    const machine = defineMachine({
      name: 'charges',
      on: 'charge.updated',
      initial: {},
      evolve() {
        throw new RangeError('no such state');
      },
      retry: { attempts: 1 },
    });
    const portaria = await startPortaria({ handlers: [machine] });

    await post(portaria);

    const about = { ...common('process'), 'messaging.destination.subscription.name': 'charges' };
    expect(await points('messaging.process.duration')).toMatchObject([
      {
        attributes: { ...about, 'portaria.result': 'dead', 'error.type': 'RangeError' },
        value: { count: 1 },
      },
    ]);
  });
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
