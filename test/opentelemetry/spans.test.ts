/** What an application with OpenTelemetry sees of receiving and of attempts. */
import {
  context,
  metrics,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Tracer,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import type { SpanProcessor } from '@opentelemetry/sdk-trace';
import { describe, expect, test } from 'vitest';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { defineMachine } from '../../src/handle/define/machine.ts';
import { RetryLater } from '../../src/handle/define/outcome.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { post, registerSdk, startPortaria } from './kit/application.ts';

const SENDER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const application = (): Tracer => trace.getTracer('application');
const billing = defineHandler({ name: 'billing', on: 'charge.*', handle: () => undefined });

describe('receiving', () => {
  test('is a span with the source, the event and the result, and without the subject', async () => {
    const { spans } = registerSdk();
    const portaria = await startPortaria({ handlers: [] });

    await post(portaria);

    const [receive] = spans('receive default');
    const [event] = await portaria.store.events({}, { order: 'newest', limit: 1 });
    expect(receive?.kind).toBe(SpanKind.CONSUMER);
    expect(receive?.parentSpanContext).toBeUndefined();
    expect(receive?.attributes).toEqual({
      'messaging.system': 'portaria',
      'messaging.operation.name': 'receive',
      'messaging.operation.type': 'receive',
      'messaging.destination.name': 'default',
      'messaging.message.body.size': 71,
      'messaging.message.id': event?.id,
      'portaria.result': 'accepted',
    });
  });

  test('is a child of the span of the server around it', async () => {
    const { spans } = registerSdk();
    const portaria = await startPortaria({ handlers: [] });

    await application().startActiveSpan('POST /webhooks', async (server) => {
      await post(portaria);
      server.end();
    });

    const [server] = spans('POST /webhooks');
    expect(spans('receive default')[0]?.parentSpanContext?.spanId).toBe(server?.spanContext().spanId);
  });

  test('fails as a span where the sender is not verified', async () => {
    const { spans } = registerSdk();
    const portaria = await startPortaria({ handlers: [] });

    expect(await post(portaria, { headers: { 'x-webhook-signature': 'no' } })).toBe(401);

    const [receive] = spans('receive default');
    expect(receive?.status.code).toBe(SpanStatusCode.ERROR);
    expect(receive?.attributes['error.type']).toBe('not-verified');
  });

  test('links to the sender where the source says so, once the sender is verified', async () => {
    const { spans } = registerSdk();
    const portaria = await startPortaria({ handlers: [] }, { source: { trace: true } });

    await post(portaria, { headers: { traceparent: SENDER } });
    await post(portaria, { headers: { traceparent: SENDER, 'x-webhook-signature': 'no' } });
    await post(portaria, { data: { id: 1 }, headers: { traceparent: `${SENDER}, ${SENDER}` } });

    const links = spans('receive default').map((span) => span.links.map(({ context }) => context.spanId));
    expect(links).toEqual([['b7ad6b7169203331'], [], []]);
  });

  test('does not know the sender of a source that does not say so', async () => {
    const { spans } = registerSdk();
    const portaria = await startPortaria({ handlers: [] });

    await post(portaria, { headers: { traceparent: SENDER } });

    expect(spans('receive default')[0]?.links).toEqual([]);
  });
});

describe('an attempt', () => {
  test('is a trace of its own with a link to the receiving of its event', async () => {
    const { spans } = registerSdk();
    const portaria = await startPortaria({ handlers: [billing] });

    await application().startActiveSpan('POST /webhooks', () => post(portaria));

    const [receive] = spans('receive default');
    const [attempt] = spans('process billing');
    expect(attempt?.parentSpanContext).toBeUndefined();
    expect(attempt?.links.map(({ context }) => context.spanId)).toEqual([receive?.spanContext().spanId]);
    expect(attempt?.spanContext().traceId).not.toBe(receive?.spanContext().traceId);
    expect(attempt?.kind).toBe(SpanKind.CONSUMER);
    expect(attempt?.attributes).toEqual({
      'messaging.system': 'portaria',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'default',
      'messaging.destination.subscription.name': 'billing',
      'messaging.message.id': receive?.attributes['messaging.message.id'],
      'portaria.event.kind': 'charge.updated',
      'portaria.delivery.id': 'd1',
      'portaria.delivery.attempt': 1,
      'portaria.delivery.replay': false,
      'portaria.result': 'succeeded',
    });
  });

  test('is a child of it where the handler asks for that', async () => {
    const { spans } = registerSdk();
    const portaria = await startPortaria({
      handlers: [defineHandler({ name: 'child', on: '*', trace: 'child', handle: () => undefined })],
    });

    await post(portaria);

    const [receive] = spans('receive default');
    const [attempt] = spans('process child');
    expect(attempt?.parentSpanContext?.spanId).toBe(receive?.spanContext().spanId);
    expect(attempt?.links).toEqual([]);
  });

  test('has the spans of the handler within it, also after it has waited', async () => {
    const { spans } = registerSdk();
    const portaria = await startPortaria({
      handlers: [
        defineHandler({
          name: 'asks',
          on: '*',
          async handle() {
            await Promise.resolve();
            application().startSpan('GET /customers').end();
          },
        }),
      ],
    });

    await post(portaria);

    const [attempt] = spans('process asks');
    expect(spans('GET /customers')[0]?.parentSpanContext?.spanId).toBe(attempt?.spanContext().spanId);
  });

  test('is one span for each, with a masked reason of its failure', async () => {
    const { spans } = registerSdk();
    class Unreachable extends Error {
      override name = 'Unreachable';
    }
    const portaria = await startPortaria({
      handlers: [
        defineHandler({
          name: 'fails',
          on: '*',
          retry: { baseMs: 0 },
          handle(_event, { attempt }) {
            if (attempt === 1) throw new Unreachable('CPF 529.982.247-25 is unknown');
            if (attempt === 2) throw RetryLater(0);
          },
        }),
      ],
    });

    await post(portaria);

    const told = spans('process fails').map(({ attributes, status }) => [
      attributes['portaria.delivery.attempt'],
      attributes['portaria.result'],
      attributes['error.type'],
      status.code,
    ]);
    expect(told).toEqual([
      [1, 'retry', 'Unreachable', SpanStatusCode.ERROR],
      [2, 'retry', undefined, SpanStatusCode.UNSET],
      [3, 'succeeded', undefined, SpanStatusCode.UNSET],
    ]);
    expect(spans('process fails')[0]?.status.message).toMatch(/^Unreachable: CPF <cpf> is unknown/);
  });

  test('tells nothing of a response that a client attached to its error', async () => {
    const { spans } = registerSdk();
    const refused = Object.assign(new Error('refused'), {
      response: { status: 422, data: { owner: 'Ana' } },
    });
    const portaria = await startPortaria({
      handlers: [
        defineHandler({
          name: 'fails',
          on: '*',
          retry: { attempts: 1 },
          handle() {
            throw refused;
          },
        }),
      ],
    });

    await post(portaria);

    expect(spans('process fails')[0]?.status.message).toBe('Error: refused');
  });

  test('of an effect is a span, and the fold that caused it is none', async () => {
    const { names } = registerSdk();
    const machine = defineMachine({
      name: 'charges',
      on: 'charge.updated',
      initial: { paid: false },
      evolve: () => ({ paid: true }),
      effects: { thank: { when: ({ after }) => after.paid, run: () => undefined } },
    });
    const portaria = await startPortaria({ handlers: [machine] });

    await post(portaria);

    expect(names()).toEqual(['receive default', 'process charges/effects']);
  });
});

describe('what an SDK does', () => {
  const fail = (): never => {
    throw new Error('the SDK is broken');
  };
  const broken = (changed: Partial<SpanProcessor>): void => {
    const nothing = (): Promise<void> => Promise.resolve();
    registerSdk({
      onStart: () => undefined,
      onEnd: () => undefined,
      forceFlush: nothing,
      shutdown: nothing,
      ...changed,
    });
  };
  const manager = (changed: object): void => {
    registerSdk();
    context.disable();
    context.setGlobalContextManager(
      Object.assign(new AsyncLocalStorageContextManager(), { disable: () => undefined }, changed),
    );
  };

  test.each([
    ['a processor throws at the start', () => broken({ onStart: fail })],
    ['a processor throws at the end', () => broken({ onEnd: fail })],
    [
      'spans are older than addLink',
      () => broken({ onStart: (s) => Object.assign(s, { addLink: undefined }) }),
    ],
    [
      'the meter provider throws',
      () => {
        registerSdk();
        metrics.disable();
        metrics.setGlobalMeterProvider({ getMeter: fail });
      },
    ],
    ['spans have no context', () => broken({ onStart: (s) => Object.assign(s, { spanContext: fail }) })],
    ['the context manager knows no context', () => manager({ active: fail })],
    ['the context manager runs nothing', () => manager({ with: fail })],
    [
      'the context manager throws after it has run',
      () =>
        manager({
          with: (_: Context, run: () => void) => {
            run();
            return fail();
          },
        }),
    ],
  ])('keeps no webhook from being stored and no attempt from its end: %s', async (_, register) => {
    register();
    const ran: string[] = [];
    const runs = defineHandler({ name: 'runs', on: '*', handle: ({ id }) => void ran.push(id) });
    const portaria = await startPortaria({ handlers: [runs] }, { source: { trace: true } });

    expect(await post(portaria, { headers: { traceparent: SENDER } })).toBe(202);

    const deliveries = await portaria.store.deliveries({}, { order: 'newest', limit: 5 });
    expect(deliveries).toMatchObject([{ status: 'succeeded', attempts: 1 }]);
    expect(ran).toHaveLength(1);
  });
});

test('polls belong to no request, whoever wakes the dispatcher', async () => {
  registerSdk();
  const within: unknown[] = [];
  const clock = {
    ...systemClock,
    after(ms: number, run: () => void) {
      within.push(trace.getActiveSpan());
      return systemClock.after(ms, run);
    },
  };
  const portaria = await startPortaria({ handlers: [billing], clock });

  await application().startActiveSpan('POST /webhooks', async () => {
    await portaria.app.request('/webhooks', { method: 'POST' });
    within.length = 0;
    portaria.dispatcher.wake();
    await portaria.dispatcher.idle();
  });

  expect(within.length).toBeGreaterThan(0);
  expect(within.filter((span) => span !== undefined)).toEqual([]);
});
