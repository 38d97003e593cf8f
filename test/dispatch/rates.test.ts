/** Handlers with a rate, on a store in SQLite and by a clock that the tests move. */
import { afterEach, describe, expect, it } from 'vitest';
import { defineHandler } from '../../src/handle/define/handler.ts';
import type { HandlerEvent } from '../../src/handle/define/handler-event.ts';
import { RetryLater } from '../../src/handle/define/outcome.ts';
import type { RateOption } from '../../src/handle/define/rate.ts';
import type { TelemetryName } from '../../src/telemetry/telemetry.ts';
import { setUpOnSqlite, type SqliteSetup } from './kit/sqlite-setup.ts';

const opened: SqliteSetup[] = [];

afterEach(async () => {
  for (const { store, dispatcher } of opened.splice(0)) {
    await dispatcher.stop(0);
    await store.close();
  }
});

interface Call {
  readonly subject: string;
  readonly attempt: number;
  /** Milliseconds since the test began. */
  readonly at: number;
}

interface Setup extends SqliteSetup {
  readonly calls: Record<'erp' | 'ledger', Call[]>;
  readonly emitted: { readonly name: TelemetryName; readonly handler?: string }[];
}

/** The handler `erp` has a rate, `ledger` has none. */
async function open(
  rate: RateOption<HandlerEvent<'charge.*'>>,
  erp: (call: Call) => unknown = () => undefined,
): Promise<Setup> {
  const calls: Setup['calls'] = { erp: [], ledger: [] };
  const emitted: { name: TelemetryName }[] = [];
  const setup = await setUpOnSqlite(
    (clock) => {
      const startedAt = clock().now();
      const called =
        (name: keyof typeof calls, act: (call: Call) => unknown = () => undefined) =>
        (event: { readonly subject: { readonly id: string } }, { attempt }: { readonly attempt: number }) => {
          const call = { subject: event.subject.id, attempt, at: clock().now() - startedAt };
          calls[name].push(call);
          return act(call);
        };
      return [
        defineHandler({ name: 'erp', on: 'charge.*', rate, handle: called('erp', erp) }),
        defineHandler({ name: 'ledger', on: 'charge.*', handle: called('ledger') }),
      ];
    },
    { telemetry: { emit: (name, fields) => void emitted.push({ name, ...fields }) } },
  );
  opened.push(setup);
  await setup.dispatcher.start();
  return { ...setup, calls, emitted };
}

const tenASecond = { limit: 10, per: 'second' } as const;
const times = (calls: readonly Call[]) => calls.map(({ at }) => at);

describe('a handler with a rate', () => {
  it('is called that often, while others go on, and nothing that waits counts an attempt or fails', async () => {
    const { receive, pass, calls, rows, emitted, dispatcher } = await open(tenASecond);
    for (let subject = 1; subject <= 12; subject += 1) await receive(subject);
    await pass(0);
    expect(calls.ledger).toHaveLength(12);
    expect(times(calls.erp)).toEqual([0]);
    const waiting = (await rows()).filter(({ handler, status }) => handler === 'erp' && status === 'pending');
    expect(waiting).toHaveLength(11);
    for (const delivery of waiting) expect(delivery).toMatchObject({ attempts: 0, lastError: null });

    await pass(1_100);
    expect(times(calls.erp)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000, 1_100]);
    expect(calls.erp.every(({ attempt }) => attempt === 1)).toBe(true);
    expect(dispatcher.status().openBreakers).toEqual([]);
    expect(emitted.filter(({ name }) => name === 'rate.deferred')).toHaveLength(11);
  });

  it('starts a burst at once', async () => {
    const { receive, pass, calls } = await open({ ...tenASecond, burst: 3 });
    for (let subject = 1; subject <= 5; subject += 1) await receive(subject);
    await pass(200);
    expect(times(calls.erp)).toEqual([0, 0, 0, 100, 200]);
  });

  it('keeps the order of a subject', async () => {
    const { receive, pass, calls } = await open(tenASecond);
    for (const subject of [1, 1, 2, 1]) await receive(subject);
    await pass(1_000);
    expect(calls.erp.filter(({ subject }) => subject === '1')).toHaveLength(3);
    expect((await opened[0]!.rows()).filter(({ status }) => status !== 'succeeded')).toEqual([]);
  });

  it('has a limit for each subject', async () => {
    const { receive, pass, calls } = await open({ limit: 1, per: 'minute', key: 'subject' });
    for (const subject of [1, 2, 1]) await receive(subject);
    await pass(60_000);
    expect(calls.erp.map(({ subject, at }) => [subject, at])).toEqual([
      ['1', 0],
      ['2', 0],
      ['1', 60_000],
    ]);
  });

  it('has a limit for each value of a function', async () => {
    const key = ({ subject }: HandlerEvent<'charge.*'>) => String(Number(subject.id) % 2);
    const { receive, pass, calls } = await open({ limit: 1, per: 'minute', key });
    for (const subject of [1, 2, 3]) await receive(subject);
    await pass(0);
    expect(calls.erp.map(({ subject }) => subject)).toEqual(['1', '2']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no tenant');
      },
      'Error: the key of the rate failed: Error: no tenant',
    ],
    [
      'returns no string',
      () => 7 as never,
      'TypeError: the key of the rate is number: it must return a string',
    ],
  ])('fails the attempt when the function %s', async (_how, key, reason) => {
    const { receive, pass, calls, rows } = await open({ ...tenASecond, key });
    await receive(1);
    await pass(0);
    expect(calls.erp).toEqual([]);
    const delivery = (await rows()).find(({ handler }) => handler === 'erp');
    expect(delivery?.attempts).toBe(1);
    expect(delivery?.lastError).toContain(reason);
  });

  it('is open again after a pause of its target, also when the clock is set back then', async () => {
    const later = ({ attempt, subject }: Call) =>
      subject === '1' && attempt === 1 ? RetryLater(2_000, { rate: true }) : undefined;
    const { receive, pass, calls, clock } = await open(tenASecond, later);
    await receive(1);
    await pass(2_000);
    expect(calls.erp).toHaveLength(2);

    clock.jump(-3_600_000);
    await receive(2);
    await pass(1_000);

    expect(calls.erp.map(({ subject }) => subject)).toEqual(['1', '1', '2']);
  });

  it('says what waits, and until when', async () => {
    const { receive, pass, rows, store, clock } = await open({ limit: 1, per: 'minute' });
    const start = clock.now();
    for (const subject of [1, 2, 3]) await receive(subject);
    await pass(0);
    const erp = (await rows()).filter(({ handler }) => handler === 'erp');
    expect(erp.map(({ rateUntil }) => rateUntil)).toEqual([null, start + 60_000, start + 120_000]);
    expect((await store.monitoring()).rates).toEqual({
      closed: [],
      waiting: [{ handler: 'erp', lanes: 2, until: start + 60_000 }],
    });
    const [lane] = await store.lanesOf({ source: 'default', subject: { family: 'charge', id: '2' } });
    expect(lane).toMatchObject({ handler: 'erp', delivery: { dueAt: start + 60_000, byRate: true } });
  });

  it('goes on after a restart, and after the clock went back by a day', async () => {
    const { receive, pass, calls, clock, dispatcher, restart } = await open({ limit: 1, per: 'minute' });
    for (const subject of [1, 2, 3]) await receive(subject);
    await pass(60_000);
    expect(calls.erp).toHaveLength(2);
    await dispatcher.stop(0);
    clock.jump(-86_400_000);
    const again = restart();
    await again.start();
    await pass(60_000);
    expect(calls.erp).toHaveLength(3);
    await again.stop(0);
  });
});

describe('a target that limits calls', () => {
  const later = (error: unknown) => (call: Call) => {
    if (call.at === 0) throw error;
  };

  it.each([
    ['RetryLater of the handler', RetryLater(5_000, { rate: true })],
    ['RetryLater with a reason', RetryLater(100, 'busy', { rate: 5_000 })],
    [
      'the error of a client',
      Object.assign(new Error('readCompany failed with status 429'), { status: 429, retryAfterMs: 5_000 }),
    ],
  ])('closes the bucket for everything: %s', async (_what, error) => {
    const { receive, pass, calls, store, clock, emitted, dispatcher } = await open(tenASecond, later(error));
    const start = clock.now();
    for (let subject = 1; subject <= 4; subject += 1) await receive(subject);
    await pass(4_999);
    expect(times(calls.erp)).toEqual([0]);
    expect(calls.ledger).toHaveLength(4);
    expect((await store.monitoring()).rates.closed).toEqual([{ bucket: 'erp', until: start + 5_000 }]);
    expect(emitted).toContainEqual({ name: 'rate.closed', handler: 'erp', bucket: 'erp', waitMs: 5_000 });
    await pass(1_000);
    expect(new Set(calls.erp.map(({ subject }) => subject)).size).toBe(4);
    expect(times(calls.erp)).toEqual([0, 5_000, 5_100, 5_200, 5_300]);
    expect(dispatcher.status().openBreakers).toEqual([]);
  });

  it('closes the bucket for a fraction of a millisecond more, and nothing of it is written in vain', async () => {
    const error = RetryLater(33.3333, { rate: true });
    const { receive, pass, calls, emitted } = await open({ limit: 100, per: 'second' }, later(error));
    for (let subject = 1; subject <= 2; subject += 1) await receive(subject);
    await pass(33);
    expect(times(calls.erp)).toEqual([0]);
    await pass(100);
    expect(times(calls.erp)).toEqual([0, 34, 44]);
    expect(emitted.map(({ name }) => name)).not.toContain('dispatch.failed');
  });

  it('is waited for an hour at most, whatever the error of a client says', async () => {
    const error = Object.assign(new Error('status 429'), { status: 429, retryAfterMs: 1e300 });
    const { receive, pass, calls } = await open(tenASecond, later(error));
    await receive(1);
    await pass(3_600_000);
    expect(times(calls.erp)).toEqual([0, 3_600_000]);
  });

  it.each([
    ['RetryLater without the option', RetryLater(5_000)],
    ['another error with a status', Object.assign(new Error('gone'), { status: 500, retryAfterMs: 5_000 })],
  ])('is not what %s says', async (_what, error) => {
    const { receive, pass, calls } = await open(tenASecond, later(error));
    for (let subject = 1; subject <= 3; subject += 1) await receive(subject);
    await pass(200);
    expect(times(calls.erp)).toEqual([0, 100, 200]);
  });
});
