import { expect, test } from 'vitest';
import type { StoredDelivery } from '../../event/stored-event.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { createPost } from './post-event.ts';

const SENDER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test.each([
  [{ traceparent: SENDER }, SENDER],
  [{ traceparent: `${SENDER}, ${SENDER}` }, null],
  [{}, null],
])(
  'of the stored headers %o, a valid traceparent goes to the target of a replay',
  async (headers, expected) => {
    const sent: Headers[] = [];
    const fetch = (_url: unknown, init?: RequestInit): Promise<Response> => {
      sent.push(new Headers(init?.headers));
      return Promise.resolve(new Response(null, { status: 204 }));
    };
    const settings = { secret: null, timeoutMs: 1000, giveUp: [] };
    const post = createPost(settings, { fetch, clock: manualClock() })('http://127.0.0.1:1/');
    const event = {
      ...{ id: 'a-1', kind: 'charge.created', subject: { family: 'charge', id: '1' } },
      ...{ source: 'default', verdict: 'new', headers },
    };

    await post(event as StoredDelivery, new Uint8Array(2));

    expect(sent.map((one) => one.get('traceparent'))).toEqual([expected]);
  },
);
