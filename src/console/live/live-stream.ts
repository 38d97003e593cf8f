/** The route of a live page's stream. */
import type { IncomingMessage } from 'node:http';
import type { ConsoleApp, ConsoleContext, PagesDeps } from '../console-deps.ts';
import { rejectForeign } from '../../pages/form-guard.ts';
import { isCursor } from '../list-filter.ts';
import { readLiveFilter } from './live-filter.ts';
import { createLiveHub } from './live-hub.ts';

/** Seconds after which a client that got no stream may ask again. */
const RETRY_AFTER_S = '30';

const CONTENT_TYPE = 'text/event-stream; charset=utf-8';

/**
 * Adds the stream of the live page, as server-sent events. It needs the permission to view, as every page does.
 * `Last-Event-ID`, or `after` in the address, is the id of the last event that the client has.
 */
export function addLiveStream(app: ConsoleApp, deps: PagesDeps): void {
  const hub = createLiveHub(deps);
  app.get('/live/stream', async (c) => {
    // Another site cannot read the stream, but it could take all places.
    rejectForeign(c, deps.signOn.browserHeaders);
    // Hono answers HEAD by this handler and drops the body: its stream would never end.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': CONTENT_TYPE });
    const page = await deps.pageOf(c);
    const { searchParams } = page.url;
    const after = c.req.header('last-event-id') ?? searchParams.get('after');
    const filter = readLiveFilter(searchParams);
    const stream = hub.join({
      page,
      filter,
      after: isCursor(after) ? after : null,
      onGone: (callback) => onSocketEnd(c, callback),
    });
    if (stream === 'full' || stream === 'closed') {
      const { tooMany, stopping } = page.words.live;
      return c.text(stream === 'full' ? tooMany : stopping, 503, { 'retry-after': RETRY_AFTER_S });
    }
    return c.body(stream, 200, {
      'content-type': CONTENT_TYPE,
      // Proxies that collect responses would hold the stream back.
      'x-accel-buffering': 'no',
      'transfer-encoding': 'chunked',
    });
  });
}

/**
 * A client that ends its side still gets responses, because senders of webhooks do so. One that follows a stream
 * has gone then: without this its place would be taken until a message cannot be sent. A reset has no `end`.
 */
function onSocketEnd(c: ConsoleContext, callback: () => void): () => void {
  const socket = (c.env as { readonly incoming?: IncomingMessage } | undefined)?.incoming?.socket;
  if (socket === undefined) return () => undefined;
  // It ended while the request was being checked. The stream joins first, so that it can leave.
  if (socket.destroyed || socket.readableEnded) queueMicrotask(callback);
  socket.once('end', callback).once('close', callback);
  return () => {
    socket.off('end', callback).off('close', callback);
  };
}
