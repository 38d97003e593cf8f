/** The streams of the live page. */
import type { IncomingMessage } from 'node:http';
import { streamSSE, type SSEMessage, type SSEStreamingApi } from 'hono/streaming';
import type { Visitor } from '../../access/roles.ts';
import { eventNumber } from '../../handle/fold/event-number.ts';
import { failureReason } from '../../kernel/failure-reason.ts';
import type { Cancel } from '../../kernel/time/clock.ts';
import type { StatusCounts } from '../../operate/show/event-outcomes.ts';
import { rejectForeign } from '../../pages/form-guard.ts';
import type { ConsoleApp, ConsoleContext, PagesDeps } from '../console-deps.ts';
import { isCursor } from '../list-filter.ts';
import type { Page } from '../page.ts';
import { SESSION_MS } from '../session.ts';
import { rowsHtml } from './live-table.tsx';
import {
  createLiveWindow,
  liveFilter,
  MAX_EVENTS,
  MAX_ROWS,
  newestFirst,
  type LiveFilter,
  type LiveWindow,
} from './live-window.ts';

type Visit = Pick<Page, 'visitor'>;

/** Seconds after which a client that got no stream may ask again. */
const RETRY_AFTER_S = '30';
/** Milliseconds between messages of a silent stream. */
export const BEAT_MS = 15_000;
/** Milliseconds in which a client takes a message, or it is dropped. */
export const PATIENCE_MS = 30_000;
/** Streams at a time: of all clients, of one session or person, of one token, and of all who may not operate. */
export const MAX_STREAMS = { all: 50, session: 10, token: 30, viewers: 40 };

/**
 * Adds the stream of the live page, as server-sent events. `Last-Event-ID`, or `after` in the address, is the id of
 * the last event that the client has. Each stream sends what its client does not know of the events that are kept
 * for all, so nothing waits in memory for a slow client.
 */
export function addLiveStream(app: ConsoleApp, deps: PagesDeps): void {
  const { store, clock, log, signOn } = deps;
  const window = createLiveWindow(deps);
  const visitors = new Set<Visit>();

  app.get('/live/stream', async (c) => {
    // Another site cannot read the stream, but it could take all slots.
    rejectForeign(c, signOn.browserHeaders);
    const page = await deps.pageOf(c);
    if (!hasSlot([...visitors], page))
      return c.text(page.words.live.tooMany, 503, { 'retry-after': RETRY_AFTER_S });
    // Hono answers HEAD by this handler and drops the body: its stream would never end.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' });
    // Proxies that collect responses would hold the stream back.
    c.header('x-accel-buffering', 'no');
    return streamSSE(c, (stream) => follow(c, stream, page));
  });

  async function follow(c: ConsoleContext, stream: SSEStreamingApi, page: Page): Promise<void> {
    const { visitor, url } = page;
    const filter = liveFilter(url.searchParams);
    let wake = Promise.withResolvers<undefined>();
    let beatIsDue = true;
    const changed = (): void => {
      wake.resolve(undefined);
    };
    const end = (): void => {
      stream.abort();
      changed();
    };
    const beat = (): void => {
      beatIsDue = true;
      cancelBeat = clock.after(BEAT_MS, beat);
      changed();
    };
    const send = async (message: SSEMessage): Promise<void> => {
      const cancel = clock.after(PATIENCE_MS, () => {
        log.debug({ streams: visitors.size }, 'a live page reads too slowly and was dropped');
        end();
      });
      await stream.writeSSE(message);
      cancel();
    };
    let cancelBeat = clock.after(BEAT_MS, beat);
    stream.onAbort(changed);
    visitors.add(page);
    const leave = [
      () => visitors.delete(page),
      window.follow({ filter, changed, end }),
      // After 12 hours a page connects again, and a proxy is asked anew.
      clock.after(visitor.endsAt === null ? SESSION_MS : visitor.endsAt - clock.now(), end),
      onSocketEnd(c, end),
    ];
    try {
      await window.read();
      const after = c.req.header('last-event-id') ?? url.searchParams.get('after');
      const news = createNews(window, page, filter, after);
      while (!stream.aborted) {
        wake = Promise.withResolvers();
        for (const message of news()) await send(message);
        if (beatIsDue) {
          beatIsDue = false;
          if (visitor.endsAt !== null && (await store.isSessionEnded(visitor.session))) break;
          await send({ event: 'beat', id: window.events()[0]?.id ?? '', data: '' });
        }
        await wake.promise;
      }
    } catch (error) {
      log.error({ reason: failureReason(error) }, 'a live page could not be filled');
    } finally {
      cancelBeat();
      for (const each of leave) each();
    }
  }
}

/** Returns what gives the messages about all that a page does not know yet. `after` is the last event that it has. */
function createNews(
  window: LiveWindow,
  page: Page,
  filter: LiveFilter,
  after: string | null,
): () => readonly SSEMessage[] {
  const newest = (): number => eventNumber(window.events()[0]?.id ?? '0');
  // An event of another database may have any number.
  const first = isCursor(after) ? Math.min(eventNumber(after), newest()) : newest();
  let [known, missed] = [first, 0];
  let seen: ReadonlyMap<string, StatusCounts | undefined> = new Map();
  // A client leaves out rows that it has. Of a page whose last event is long gone, nothing older is sent.
  const since = first === 0 ? 0 : window.events().find(({ id }) => eventNumber(id) === first)?.receivedAt;
  let heldBefore = new Set(
    window
      .held()
      .filter(({ receivedAt }) => receivedAt < (since ?? Infinity))
      .map(({ id }) => id),
  );
  return () => {
    const [events, outcomes] = [window.events(), window.outcomes()];
    const selected = events.filter(filter);
    const unknown = new Set(selected.filter(({ id }) => eventNumber(id) > first && !seen.has(id)));
    const shown = selected.slice(0, MAX_ROWS).map((event) => ({ event, outcome: outcomes.get(event.id) }));
    const rows = shown.filter(({ event }) => unknown.has(event));
    const changed = shown.filter(
      ({ event, outcome }) => !unknown.has(event) && outcome !== seen.get(event.id),
    );
    const before = events.length < MAX_EVENTS ? 0 : eventNumber(events.at(-1)?.id ?? '') - 1;
    const more = unknown.size - rows.length + Math.max(0, before - known);
    const held = window.held().filter((entry) => !heldBefore.has(entry.id) && filter(entry));
    heldBefore = new Set(window.held().map(({ id }) => id));
    const news = newestFirst([...rows, ...held.map((entry) => ({ entry }))]);
    missed += more;
    known = newest();
    seen = new Map(selected.map(({ id }) => [id, outcomes.get(id)]));
    return [
      ...(news.length === 0 ? [] : [{ event: 'rows', id: events[0]?.id ?? '', data: rowsHtml(page, news) }]),
      ...(changed.length === 0 ? [] : [{ event: 'outcomes', data: rowsHtml(page, changed) }]),
      ...(more === 0 ? [] : [{ event: 'gap', data: page.words.live.missed(missed) }]),
    ];
  };
}

/** Whether there is a slot for a stream. Visitors of a loopback name share a session, so they may take all. */
function hasSlot(others: readonly Visit[], { visitor: { kind, name, session, may } }: Visit): boolean {
  const below = (most: number, isLike: (other: Visitor) => boolean): boolean =>
    others.filter(({ visitor }) => isLike(visitor)).length < most;
  if (!below(MAX_STREAMS.all, () => true)) return false;
  if (kind === 'loopback') return true;
  return (
    below(MAX_STREAMS.session, (other) => other.session === session) &&
    (kind !== 'token' || below(MAX_STREAMS.token, (other) => other.kind === kind && other.name === name)) &&
    (may.includes('operate') || below(MAX_STREAMS.viewers, (other) => !other.may.includes('operate')))
  );
}

/**
 * A client that ends its side still gets responses, because senders of webhooks do so. One that follows a stream
 * has gone then: without this its slot would be taken until a message cannot be sent. A reset has no `end`.
 */
function onSocketEnd(c: ConsoleContext, callback: () => void): Cancel {
  const socket = (c.env as { readonly incoming?: IncomingMessage } | undefined)?.incoming?.socket;
  if (socket === undefined) return () => undefined;
  // It ended while the request was being checked.
  if (socket.destroyed || socket.readableEnded) callback();
  socket.once('end', callback).once('close', callback);
  return () => {
    socket.off('end', callback).off('close', callback);
  };
}
