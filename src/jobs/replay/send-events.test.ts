import { expect, test } from 'vitest';
import type { EventRecord, StoredDelivery } from '../../event/stored-event.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { classifyResponse, type PostResult } from './classify-response.ts';
import { createSendEvents, type SendDeps } from './send-events.ts';

const FIVE_MINUTES_MS = 300_000;
const never = new AbortController().signal;

/** Events of some subjects each: `e-1`, `e-2`, … */
const eventsOf = (...subjects: readonly string[]) =>
  subjects.map(
    (id, at) =>
      ({ id: `e-${String(at + 1)}`, source: 'default', subject: { family: 'company', id } }) as EventRecord,
  );

/** What sends events of which each has a body, unless told otherwise. */
function sender(more: Pick<SendDeps, 'post'> & Partial<SendDeps>) {
  const reasons: string[] = [];
  const event = (id: string) => Promise.resolve({ id, body: Buffer.from('{}') } as unknown as StoredDelivery);
  const send = createSendEvents({
    store: { event },
    clock: manualClock(),
    random: () => 0,
    onFailure: ({ id }, reason) => reasons.push(`${id} ${reason}`),
    ...more,
  });
  return { send, reasons };
}

const rejected: PostResult = { status: 'rejected', reason: 'responded 422' };
const delivered: PostResult = { status: 'delivered' };

test('sends the events of a subject one at a time and in order, those of four subjects beside each other', async () => {
  const running = new Map<string, () => void>();
  const begun: string[] = [];
  const { send } = sender({
    post: ({ id }) => {
      begun.push(id);
      return new Promise((resolve) => running.set(id, () => resolve(delivered)));
    },
  });
  const end = (id: string) => running.get(id)?.();
  const sent = send(eventsOf('a', 'a', 'b', 'c', 'd', 'e'), never);
  await expect.poll(() => begun).toEqual(['e-1', 'e-3', 'e-4', 'e-5']);
  end('e-1');
  await expect.poll(() => begun.slice(4)).toEqual(['e-2']);
  for (const id of ['e-2', 'e-3', 'e-4', 'e-5']) end(id);
  await expect.poll(() => begun.slice(5)).toEqual(['e-6']);
  end('e-6');
  expect(await sent).toEqual({ ended: 6, sent: { succeeded: 6, skipped: 0, failed: [] }, down: null });
});

test('names what failed, and goes on; an event without a body is left out', async () => {
  const { send, reasons } = sender({
    post: ({ id }) => Promise.resolve(id === 'e-2' ? rejected : delivered),
    store: {
      event: (id) =>
        Promise.resolve({ id, body: id === 'e-3' ? null : Buffer.from('{}') } as unknown as StoredDelivery),
    },
  });
  expect(await send(eventsOf('a', 'a', 'a', 'b'), never)).toEqual({
    ...{ ended: 4, sent: { succeeded: 2, skipped: 1, failed: ['e-2'] }, down: null },
  });
  expect(reasons).toEqual(['e-2 responded 422']);
});

test('stops at a target that is down: ten failures in a row, also of several batches, are sent again', async () => {
  const { send } = sender({ post: ({ id }) => Promise.resolve(id === 'e-1' ? delivered : rejected) });
  const one = (count: number) => eventsOf(...Array.from({ length: count }, () => 'a'));
  expect(await send(one(5), never)).toMatchObject({ ended: 5, sent: { failed: { length: 4 } }, down: null });
  expect(await send(one(1), never)).toMatchObject({ ended: 1, sent: { succeeded: 1 } });
  expect(await send(one(20), never)).toEqual({
    ...{ ended: 1, sent: { succeeded: 1, skipped: 0, failed: [] } },
    down: '10 events in a row failed: responded 422',
  });
});

test('an interruption leaves what has not ended, and all after it, to be sent again', async () => {
  const stop = new AbortController();
  const { send } = sender({
    post: ({ id }) => {
      if (id === 'e-2') stop.abort();
      return Promise.resolve(delivered);
    },
  });
  expect(await send(eventsOf('a', 'a', 'a'), stop.signal)).toMatchObject({
    ended: 2,
    sent: { succeeded: 2 },
  });
});

test.each(['86400', 'Thu, 01 Jan 2099 00:00:00 GMT'])(
  'waits five minutes at most when the target answers Retry-After: %s',
  async (retryAfter) => {
    const clock = manualClock();
    const waits: number[] = [];
    let attempts = 0;
    const { send } = sender({
      clock: {
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        after: (ms, callback) => {
          waits.push(ms);
          return clock.after(0, callback);
        },
      },
      post: () => {
        attempts += 1;
        const status = attempts === 1 ? 503 : 204;
        return Promise.resolve(classifyResponse(status, status === 503 ? retryAfter : null, clock.now(), []));
      },
    });
    const sent = send(eventsOf('1'), never);
    await expect.poll(() => waits).toHaveLength(1);
    clock.advance(1);

    expect(await sent).toMatchObject({ ended: 1, sent: { succeeded: 1 } });
    expect(waits).toEqual([FIVE_MINUTES_MS]);
  },
);
