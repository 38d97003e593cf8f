/** What becomes of a delivery by what its handler returns or throws, or how long it takes. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { defineHandler } from '../../src/handle/define/handler.ts';
import type { HandlerContext } from '../../src/handle/define/handler-context.ts';
import { Discard, GiveUp, RetryLater } from '../../src/handle/define/outcome.ts';
import { fanOut } from '../../src/telemetry/telemetry.ts';
import { testContext } from '../../src/testing/test-context.ts';
import { setUp } from './kit/dispatch-setup.ts';

const retry = { attempts: 3, baseMs: 1_000, maxMs: 60_000 };

function handlerOf(handle: (context: HandlerContext) => unknown, more: { readonly timeoutMs?: number } = {}) {
  return defineHandler({
    name: 'mail',
    on: 'company.*',
    retry,
    ...more,
    handle: (_event, context) => handle(context),
  });
}

describe('a delivery', () => {
  it('succeeds when its handler returns', async () => {
    const { dispatcher, give, emittedOf } = setUp([handlerOf(() => 'anything')]);
    const row = give('mail');
    await dispatcher.start();
    await dispatcher.idle();
    expect(row).toMatchObject({ status: 'succeeded', attempts: 1, lastError: null });
    expect(emittedOf('delivery.succeeded')).toEqual([
      expect.objectContaining({
        delivery: 'd1',
        event: 'sample-1',
        handler: 'mail',
        attempt: 1,
        replay: false,
      }),
    ]);
  });

  it('passes attempt, arrival time and idempotency key to its handler', async () => {
    const seen: HandlerContext[] = [];
    const { dispatcher, give, pass, logged } = setUp([
      handlerOf((context) => {
        seen.push(context);
        context.log.info({ step: 1 }, 'at work');
        if (seen.length === 1) throw new Error('once');
      }),
    ]);
    give('mail', 1, { replay: 'r4' });
    await dispatcher.start();
    await pass(1_000);
    expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(seen[1]).toMatchObject({
      replay: true,
      idempotencyKey: 'sample-1/mail',
      receivedAt: Date.UTC(2026, 0, 1),
    });
    expect(logged[0]?.fields, 'nothing of the payload').toEqual({
      delivery: 'd1',
      event: 'sample-1',
      handler: 'mail',
      kind: 'company.updated',
      step: 1,
    });
  });

  it('has a context whose copies keep signal and logger', async () => {
    const seen: HandlerContext[] = [];
    const { dispatcher, give, logged } = setUp([
      handlerOf((context) => {
        seen.push(context, { ...context });
      }),
    ]);
    give('mail');
    await dispatcher.start();
    await dispatcher.idle();
    const [context, copy] = seen;
    expect(copy?.signal).toBeInstanceOf(AbortSignal);
    expect(copy?.signal).toBe(context?.signal);
    expect(copy?.log).toBe(context?.log);
    copy?.log.warn({}, 'from the copy');
    expect(logged).toMatchObject([{ message: 'from the copy', fields: { delivery: 'd1' } }]);
  });

  it('is retried after growing waits until its attempts are used up, then dead', async () => {
    const { dispatcher, give, pass, clock, emittedOf } = setUp([
      handlerOf(() => {
        throw new Error(`no at ${String(clock.monotonic())}`);
      }),
    ]);
    const row = give('mail');
    await dispatcher.start();
    // Half of 1 s and 2 s: the setup's random is 0.5.
    await pass(1_499);
    expect(row).toMatchObject({ status: 'pending', attempts: 2 });
    await pass(1);
    expect(row).toMatchObject({ status: 'dead', attempts: 3 });
    expect(row.lastError).toMatch(/^Error: no at 1500 \(at /);
    expect(emittedOf('delivery.retrying').map(({ waitMs }) => waitMs)).toEqual([500, 1_000]);
    expect(emittedOf('delivery.dead')).toHaveLength(1);
    await dispatcher.idle();
  });

  it('of one attempt is dead after its first failure', async () => {
    const handler = defineHandler({
      name: 'once',
      on: '*',
      retry: { attempts: 1 },
      handle: () => Promise.reject(new Error('no')),
    });
    const { dispatcher, give } = setUp([handler]);
    const row = give('once');
    await dispatcher.start();
    await dispatcher.idle();
    expect(row).toMatchObject({ status: 'dead', attempts: 1 });
  });

  it.each([
    ['Discard', () => Discard('not for us'), { status: 'skipped', attempts: 1, lastError: 'not for us' }],
    ['GiveUp', () => GiveUp('gone'), { status: 'dead', attempts: 1, lastError: 'gone' }],
  ])('ends as %s says, returned or thrown', async (_name, wish, expected) => {
    for (const end of [(): unknown => wish(), (): unknown => Promise.reject(wish())]) {
      const { dispatcher, give } = setUp([handlerOf(end)]);
      const row = give('mail');
      await dispatcher.start();
      await dispatcher.idle();
      expect(row).toMatchObject(expected);
    }
  });

  it('waits as long as RetryLater says, and counts each as an attempt', async () => {
    const { dispatcher, give, pass, until, clock } = setUp([handlerOf(() => RetryLater(7_000))]);
    const row = give('mail');
    await dispatcher.start();
    await pass(6_999);
    expect(row.attempts).toBe(1);
    await until(() => row.status === 'dead');
    expect([row.attempts, clock.monotonic()]).toEqual([3, 14_000]);
  });

  it.each([
    undefined,
    null,
    'text',
    Object.freeze({ code: 1 }),
    Object.freeze(new Error('frozen')),
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('get');
        },
        has: () => {
          throw new Error('has');
        },
      },
    ),
  ])('fails with a readable reason whatever its handler throws', async (thrown) => {
    const { dispatcher, give, until } = setUp([handlerOf(() => Promise.reject(thrown))]);
    const row = give('mail');
    await dispatcher.start();
    await until(() => row.status === 'dead');
    expect(row.lastError).toMatch(/^[\x20-\x7e]{4,}$/);
  });

  it('runs and is recorded when telemetry subscribers throw', async () => {
    const { log, logged } = testContext();
    const failing = (): never => {
      throw new Error('metrics are down');
    };
    const telemetry = fanOut([failing], log);
    const { dispatcher, give } = setUp([handlerOf(() => undefined)], { telemetry });
    const row = give('mail');
    await dispatcher.start();
    await dispatcher.idle();
    expect(row.status).toBe('succeeded');
    expect(logged).toHaveLength(1);
  });
});

describe('a handler that takes too long', () => {
  it('fails at its timeout when it obeys its signal, and is retried', async () => {
    const { dispatcher, give, until, clock } = setUp([
      handlerOf(
        ({ signal, attempt }) =>
          attempt === 2 ||
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reject(signal.reason as Error);
            });
          }),
        { timeoutMs: 2_000 },
      ),
    ]);
    const row = give('mail');
    await dispatcher.start();
    await until(() => row.attempts === 2 && row.status === 'succeeded');
    expect(row.lastError).toBeNull();
    expect(clock.monotonic()).toBe(2_500);
  });

  it('is abandoned when it ignores its signal: the lane continues, and its late result changes nothing', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): unknown => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const late: ((error: Error) => void)[] = [];
    const { dispatcher, give, until } = setUp([
      handlerOf(() => new Promise((_resolve, reject) => late.push(reject)), { timeoutMs: 100 }),
    ]);
    const [first, second] = [give('mail'), give('mail')];
    await dispatcher.start();
    await until(() => second.status === 'dead');
    for (const reject of late) reject(new Error('much too late'));
    await turn();
    await turn();
    process.off('unhandledRejection', note);
    expect(first).toMatchObject({ status: 'dead', attempts: 3 });
    expect(first.lastError).toBe('timed out after 100 ms and ignored its abort signal');
    expect(late).toHaveLength(6);
    expect(unhandled).toEqual([]);
    await dispatcher.idle();
  });
});

describe('a delivery interrupted by crashes', () => {
  it('runs again after its only attempt', async () => {
    const handler = defineHandler({ name: 'once', on: '*', retry: { attempts: 1 }, handle: () => undefined });
    const { dispatcher, give, emittedOf } = setUp([handler]);
    const row = give('once');
    Object.assign(row, { attempts: 1, status: 'running' });
    await dispatcher.start();
    await dispatcher.idle();
    expect(row).toMatchObject({ status: 'succeeded', attempts: 2 });
    expect(emittedOf('dispatch.recovered')).toEqual([{ name: 'dispatch.recovered', deliveries: 1 }]);
  });

  it('is dead after too many crashes, without another run', async () => {
    let runs = 0;
    const { dispatcher, give } = setUp([handlerOf(() => (runs += 1))]);
    const row = give('mail');
    row.attempts = 6;
    await dispatcher.start();
    await dispatcher.idle();
    expect(row).toMatchObject({ status: 'dead' });
    expect(runs).toBe(0);
  });
});
