import { onTestFinished, expect, test } from 'vitest';
import { createRunningAttempts, readRunningAttempts } from '../../dispatch/attempt/running-attempts.ts';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { route, sampleEvent } from '../../../test/conformance/sample-event.ts';
import { recordStall } from './record-stall.ts';

const TIMEOUT_MS = 30_000;
const HOUR_MS = 3_600_000;

async function openStore() {
  const clock = manualClock();
  const store = await openSqliteStore({ path: ':memory:', role: 'owner', clock });
  onTestFinished(() => store.close());
  const accept = (content: string) =>
    store.accept(sampleEvent({ subject: `company:${content}`, content }), [route('handler')]);
  /** Claims what is due, as a process that then stalls. Returns the ids. */
  async function stall(hold = false): Promise<readonly string[]> {
    const claimed = await store.claim({ now: clock.now(), limit: 9, handlers: ['handler'] });
    const running = createRunningAttempts(9);
    for (const delivery of claimed.deliveries) {
      running.begin(delivery, hold);
      running.returned();
    }
    const stalled = { now: clock.now(), timeoutMs: TIMEOUT_MS, where: 'a.ts:1' };
    await recordStall(store, readRunningAttempts(running.memory), stalled);
    return claimed.deliveries.map(({ id }) => id);
  }
  const statuses = async () =>
    (await store.deliveries({}, { order: 'oldest', limit: 9 })).map(({ status }) => status);
  return { store, clock, accept, stall, statuses };
}

test('a delivery that ran in two stalls is a dead letter; the attempts tell why', async () => {
  const { store, clock, accept, stall, statuses } = await openStore();
  await accept('1');
  const [id = ''] = await stall();
  expect(await statuses()).toEqual(['pending']);
  expect(await stall(), 'another process may not have started again').toEqual([]);
  clock.advance(TIMEOUT_MS);
  await stall();
  expect(await statuses()).toEqual(['dead']);
  expect(await store.attempts([id])).toMatchObject([
    { attempt: 1, outcome: 'interrupted', error: expect.stringContaining('a.ts:1') as string },
    { attempt: 2, outcome: 'dead', error: expect.stringContaining('ended 2 processes') as string },
  ]);
  expect((await store.attempts([id]))[1]?.error).toContain('`portaria handlers pause handler --reason "…"`');
  const outage = { cause: 'stalled', handler: 'handler', refused: 0 };
  const now = clock.now();
  expect((await store.monitoring()).outages).toEqual([
    { ...outage, beganAt: now - TIMEOUT_MS, endedAt: now },
    { ...outage, beganAt: now - 2 * TIMEOUT_MS, endedAt: now - TIMEOUT_MS },
  ]);

  const { handlers } = await store.activity(0, HOUR_MS);
  expect(handlers).toMatchObject([{ handler: 'handler', points: [{ succeeded: 0, failed: 2, dead: 1 }] }]);

  await store.retryDeliveries([id], clock.now());
  await stall();
  expect(await statuses(), 'a retry by hand begins again').toEqual(['pending']);
});

test('behind a dead letter of a handler that holds its lanes, the lane waits', async () => {
  const { store, clock, accept, stall } = await openStore();
  await accept('1');
  const [id = ''] = await stall(true);
  clock.advance(TIMEOUT_MS);
  await stall(true);
  expect((await store.pauses()).map(({ deadLetter }) => deadLetter)).toEqual([id]);
});

test('of deliveries that ran together none is blamed, and they run again one after the other', async () => {
  const { clock, accept, stall, statuses } = await openStore();
  await accept('1');
  await accept('2');
  const together = await stall();
  expect(together).toHaveLength(2);
  clock.advance(TIMEOUT_MS);
  expect(await stall()).toHaveLength(1);
  expect((await statuses()).toSorted()).toEqual(['dead', 'pending']);
});

test('the delivery that ran in three stalls, each time beside others, is the one that blocks', async () => {
  const { store, clock, accept, stall, statuses } = await openStore();
  await accept('blocking');
  for (const beside of ['1', '2', '3']) {
    await accept(beside);
    const [blocking = '', other = ''] = (await stall()).toSorted();
    expect([blocking, other]).toEqual(['d1', expect.stringMatching(/^d[2-4]$/)]);
    await store.discardDeliveries([other], { reason: 'it has run elsewhere', now: clock.now() });
    clock.advance(2 * TIMEOUT_MS);
  }
  expect(await statuses()).toEqual(['dead', 'skipped', 'skipped', 'skipped']);
});

test('a stall in which no handler ran is recorded, too', async () => {
  const { store, clock } = await openStore();
  const stalled = { now: clock.now(), timeoutMs: TIMEOUT_MS, where: null };
  await recordStall(store, [], stalled);
  expect((await store.monitoring()).outages).toMatchObject([{ cause: 'stalled', handler: null }]);
});

test('a name that is too long for the memory of an attempt cuts nothing else off', async () => {
  const { store, clock, accept } = await openStore();
  await accept('1');
  const [delivery] = (await store.claim({ now: clock.now(), limit: 1, handlers: ['handler'] })).deliveries;
  if (delivery === undefined) throw new Error('expected a delivery');
  const attempts = createRunningAttempts(1);
  attempts.begin({ ...delivery, handler: 'x'.repeat(600) }, true);
  expect(readRunningAttempts(attempts.memory)).toMatchObject([{ attempt: 1, hold: true }]);
});

test('an attempt whose code has not returned is the one that blocks', async () => {
  const { store, clock, accept } = await openStore();
  await accept('1');
  await accept('2');
  const { deliveries } = await store.claim({ now: clock.now(), limit: 9, handlers: ['handler'] });
  const [first, second] = deliveries;
  if (first === undefined || second === undefined) throw new Error('expected two deliveries');
  const running = createRunningAttempts(2);
  const slot = running.begin(first, false);
  running.returned();
  running.begin(second, true);
  const { id, lane, holder, start, handler, replay, event, attempt } = second;
  expect(readRunningAttempts(running.memory)).toEqual([
    { key: { id, lane, holder, start, handler, replay }, event: event.id, attempt, hold: true },
  ]);
  running.returned();
  running.end(slot);
  expect(readRunningAttempts(running.memory)).toHaveLength(1);
});
