/** Responses to senders and probes between SIGTERM and the end of the process. */
import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { createPortaria } from '../src/compose.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { defineHandler } from '../src/handle/define/handler.ts';

test('given a running handler, both ports respond until it has finished', async () => {
  const signals = new EventEmitter();
  const running = once(signals, 'running');
  const portaria = await createPortaria({
    config: loadConfig(
      {
        PORTARIA_DATABASE: ':memory:',
        PORTARIA_PORT: '0',
        PORTARIA_OPS_PORT: '0',
        PORTARIA_LOG_LEVEL: 'silent',
      },
      '/',
    ),
    handlers: [
      defineHandler({
        name: 'slow',
        on: 'charge.created',
        async handle() {
          signals.emit('running');
          await once(signals, 'release');
        },
      }),
    ],
  });
  const { port, opsPort } = await portaria.start();
  const body = JSON.stringify({ type: 'charge.created', data: { id: 1, type: 'fee', status: 'paid' } });
  const post = () => fetch(`http://127.0.0.1:${String(port)}/webhooks`, { method: 'POST', body });
  expect((await post()).status).toBe(202);
  await running;

  const stopped = portaria.stop();
  const rejected = await post();
  const readiness = await fetch(`http://127.0.0.1:${String(opsPort)}/readyz`);
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([
    503,
    expect.stringMatching(/^\d+$/),
  ]);
  expect(await rejected.json()).toEqual({
    error: 'Service Unavailable',
    message: expect.any(String) as string,
  });
  expect(readiness.status).toBe(503);
  expect(await readiness.json()).toMatchObject({ reasons: ['stopping'] });

  signals.emit('release');
  await stopped;
  await expect(post()).rejects.toThrow();
});
