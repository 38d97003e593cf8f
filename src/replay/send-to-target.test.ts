import { expect, test } from 'vitest';
import type { EventRecord, StoredDelivery } from '../event/stored-event.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { classifyResponse } from './classify-response.ts';
import { sendToTarget, type SendDeps } from './send-to-target.ts';

const FIVE_MINUTES_MS = 300_000;

test.each(['86400', 'Thu, 01 Jan 2099 00:00:00 GMT'])(
  'waits five minutes at most when the target answers Retry-After: %s',
  async (retryAfter) => {
    const clock = manualClock();
    const waits: number[] = [];
    let attempts = 0;
    const sent = sendToTarget(
      {
        store: storeOf({ id: 'e-1', source: 'default', subject: { family: 'company', id: '1' } }),
        clock: {
          now: () => clock.now(),
          monotonic: () => clock.monotonic(),
          after: (ms, callback) => {
            waits.push(ms);
            return clock.after(0, callback);
          },
        },
        random: () => 0,
        post: () => {
          attempts += 1;
          const status = attempts === 1 ? 503 : 204;
          return Promise.resolve(
            classifyResponse(status, status === 503 ? retryAfter : null, clock.now(), []),
          );
        },
      },
      {
        id: 'r1',
        createdAt: 0,
        filter: {},
        handlers: [],
        ifNotSucceeded: false,
        target: 'http://target.test/',
        status: 'running',
        cursor: null,
      },
      {
        concurrency: 1,
        signal: new AbortController().signal,
        onProgress: () => undefined,
        onFailure: () => undefined,
      },
    );
    await expect.poll(() => waits).toHaveLength(1);
    clock.advance(1);

    expect(await sent).toMatchObject({ ended: 'done', delivered: 1, failed: 0 });
    expect(waits).toEqual([FIVE_MINUTES_MS]);
  },
);

/** A store that holds one event with a body. */
function storeOf(record: Pick<EventRecord, 'id' | 'source' | 'subject'>): SendDeps['store'] {
  const event = { ...record, body: Buffer.from('{}'), headers: {} } as unknown as StoredDelivery;
  const store: Pick<SendDeps['store'], 'events' | 'event' | 'enqueueReplay' | 'finishReplay'> = {
    events: () => Promise.resolve([event]),
    event: () => Promise.resolve(event),
    enqueueReplay: () => Promise.resolve(),
    finishReplay: () => Promise.resolve(),
  };
  return store as SendDeps['store'];
}
