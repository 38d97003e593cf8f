/** What is kept of a sender's `traceparent`, and where it is sent on, on any store. */
import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { forward } from '../../../handlers/forward.ts';
import { defineHandler } from '../../../src/handle/define/handler.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { listenLocally } from '../../support/receiving-server.ts';
import { silentLogger } from '../../support/silent-logger.ts';
import { post, registerSdk, startPortaria } from './application.ts';

const SENDER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** An application and a provider in one: it notes the headers of what is sent to it. */
async function target() {
  const requests: IncomingHttpHeaders[] = [];
  const listener = await listenLocally({
    clock: manualClock(),
    log: silentLogger,
    handle(request, response) {
      requests.push(request.headers);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data: { id: 99, type: 'fee', status: 'paid' } }));
    },
  });
  onTestFinished(() => listener.close(0));
  return { requests, url: `http://127.0.0.1:${String(listener.port)}` };
}

export function describeSentOn(database: () => Promise<string>): void {
  /** A charge comes with a `traceparent`; `forward` and a handler that asks the provider send it on. */
  async function sentOn(source: object) {
    const { requests, url } = await target();
    const asks = defineHandler({
      name: 'asks',
      on: '*',
      order: 'handler',
      handle: (_event, { client, signal }) => client?.charges.read(99, { signal }),
    });
    const portaria = await startPortaria(
      { handlers: [forward({ url, timeoutMs: 30_000 }), asks] },
      {
        source,
        settings: {
          PORTARIA_DATABASE: await database(),
          PORTARIA_API_URL: url,
          PORTARIA_API_KEY: 'key-of-the-provider',
        },
      },
    );
    await post(portaria, { headers: { traceparent: SENDER } });
    const [event] = await portaria.store.events({}, { order: 'newest', limit: 1 });
    const stored = await portaria.store.event(event?.id ?? '');
    return {
      kept: stored?.headers['traceparent'],
      sent: requests.map(({ traceparent }) => traceparent).sort(),
    };
  }

  describe('the traceparent of a verified webhook', () => {
    test('is kept and sent on where its source says so, without OpenTelemetry, too', async () => {
      expect(await sentOn({ trace: true })).toEqual({ kept: SENDER, sent: [SENDER, SENDER] });
    });

    test('is not kept where its source does not say so', async () => {
      expect(await sentOn({})).toEqual({ kept: undefined, sent: [undefined, undefined] });
    });

    test('gives way to the span that received it and to the spans of the attempts', async () => {
      const { spans } = registerSdk();

      const { kept, sent } = await sentOn({ trace: true });

      const headerOf = (name: string): string => {
        const { traceId = '', spanId = '' } = spans(name)[0]?.spanContext() ?? {};
        return `00-${traceId}-${spanId}-01`;
      };
      expect(kept).toBe(headerOf('receive default'));
      expect(sent).toEqual([headerOf('process forward'), headerOf('process asks')].sort());
    });
  });
}
