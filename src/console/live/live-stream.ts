/** The streams of the live page. */
import type { IncomingMessage } from 'node:http';
import { streamSSE, type SSEMessage, type SSEStreamingApi } from 'hono/streaming';
import { eventNumber } from '../../handle/fold/event-number.ts';
import { failureReason } from '../../kernel/failure-reason.ts';
import type { Cancel } from '../../kernel/time/clock.ts';
import { rejectForeign } from '../../pages/form-guard.ts';
import type { ConsoleApp, ConsoleContext, PagesDeps } from '../console-deps.ts';
import { isCursor } from '../list-filter.ts';
import type { Page } from '../page.ts';
import { listAddress, readLiveFilter, type LiveFilter } from './live-filter.ts';
import { gapHtml, outcomesHtml, rowsHtml } from './live-rows.tsx';
import { createLiveWindow, type LiveWindow, type Progress } from './live-window.ts';
import { createSessionCheck, hasSlot, lifetimeOf } from './stream-sessions.ts';

/** Seconds after which a client that got no stream may ask again. */
const RETRY_AFTER_S = '30';
/** Milliseconds between messages of a silent stream. A client that has not taken one meanwhile is dropped. */
export const BEAT_MS = 15_000;

/** An open stream. */
interface Member {
  readonly page: Page;
  readonly filter: LiveFilter;
  readonly stream: SSEStreamingApi;
  progress: Progress;
  /** Events that it was not shown. */
  missed: number;
  /** The beat that it was sent last. */
  beat: number;
  /** The beat at which it was sent what it has not taken yet; null when it has taken all. */
  writingSince: number | null;
}

/** What members that have come as far are sent. */
interface Rendered {
  readonly messages: readonly SSEMessage[];
  readonly missed: number;
}

/**
 * Adds the stream of the live page, as server-sent events. It needs the permission to view, as every page does.
 * `Last-Event-ID`, or `after` in the address, is the id of the last event that the client has. Each stream sends
 * what its client does not know of the events that are kept for all, so nothing waits in memory for a slow client.
 */
export function addLiveStream(app: ConsoleApp, deps: PagesDeps): void {
  const { store, clock, log, signOn } = deps;
  const members = new Map<Member, readonly Cancel[]>();
  const checkSessions = createSessionCheck<Member>({ store, log }, leave);
  /** What was sent of the window as it is, by language, filter and progress. */
  const rendered = new Map<string, Rendered>();
  let window: LiveWindow | null = null;
  let cancelBeat: Cancel = () => undefined;
  let beat = 0;
  let wake = Promise.withResolvers<undefined>();
  let closed = false;

  app.get('/live/stream', async (c) => {
    // Another site cannot read the stream, but it could take all slots.
    rejectForeign(c, signOn.browserHeaders);
    const page = await deps.pageOf(c);
    const { tooMany, stopping } = page.words.live;
    if (closed) return c.text(stopping, 503);
    if (!hasSlot(members.keys(), page.visitor)) return c.text(tooMany, 503, { 'retry-after': RETRY_AFTER_S });
    // Hono answers HEAD by this handler and drops the body: its stream would never end.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' });
    // Proxies that collect responses would hold the stream back.
    c.header('x-accel-buffering', 'no');
    return streamSSE(c, (stream) => follow(c, stream, page));
  });

  async function follow(c: ConsoleContext, stream: SSEStreamingApi, page: Page): Promise<void> {
    const { searchParams } = page.url;
    const after = c.req.header('last-event-id') ?? searchParams.get('after');
    const filter = readLiveFilter(searchParams);
    const number = isCursor(after) ? eventNumber(after) : Number.POSITIVE_INFINITY;
    const member: Member = {
      ...{ page, filter, stream },
      progress: { number, change: 0 },
      ...{ missed: 0, beat: beat - 1, writingSince: null },
    };
    const kept = join(member, c);
    try {
      await kept.read();
      // An event of another database may have any number.
      const known = Math.min(number, kept.progress().number);
      member.progress = { number: known, change: 0 };
      while (members.has(member)) {
        const woken = wake.promise;
        for (const message of news(member, kept)) {
          member.writingSince = beat;
          await stream.writeSSE(message);
          member.writingSince = null;
        }
        await woken;
      }
    } catch (error) {
      log.error({ reason: failureReason(error) }, 'a live page could not be filled');
    } finally {
      leave(member);
    }
  }

  function join(member: Member, c: ConsoleContext): LiveWindow {
    window ??= begin();
    const end = (): void => {
      leave(member);
    };
    const lifetime = lifetimeOf(member.page.visitor, clock.now());
    members.set(member, [onSocketEnd(c, end), ...(lifetime === null ? [] : [clock.after(lifetime, end)])]);
    member.stream.onAbort(end);
    const kept = window;
    // The process stops.
    if (closed) end();
    return kept;
  }

  function leave(member: Member): void {
    const cancels = members.get(member);
    if (cancels === undefined) return;
    members.delete(member);
    for (const cancel of cancels) cancel();
    if (member.writingSince !== null) member.stream.abort();
    if (members.size === 0) {
      window?.close();
      window = null;
      cancelBeat();
    }
    wakeAll();
  }

  /** Without a member nothing listens. */
  function begin(): LiveWindow {
    cancelBeat = clock.after(BEAT_MS, sendBeat);
    return createLiveWindow(deps, () => Array.from(members.keys(), ({ filter }) => filter), {
      changed: wakeAll,
      ended() {
        closed = true;
        for (const member of members.keys()) leave(member);
      },
    });
  }

  function wakeAll(): void {
    rendered.clear();
    wake.resolve(undefined);
    wake = Promise.withResolvers();
  }

  /** Shows clients that the stream is alive; notices sign-outs, and clients that do not read. */
  function sendBeat(): void {
    cancelBeat = clock.after(BEAT_MS, sendBeat);
    void checkSessions(members.keys());
    for (const member of members.keys()) {
      if (member.writingSince === null || member.writingSince === beat) continue;
      log.debug({ streams: members.size }, 'a live page reads too slowly and was dropped');
      leave(member);
    }
    beat += 1;
    wakeAll();
  }

  /** Returns what a member is sent now. Members with the same filter that have come as far share the rendering. */
  function news(member: Member, kept: LiveWindow): readonly SSEMessage[] {
    const { page, filter, progress } = member;
    const key = JSON.stringify([page.language, filter, progress]);
    const { messages, missed } = rendered.get(key) ?? render(key, member, kept);
    const isDue = member.beat !== beat;
    Object.assign(member, { progress: kept.progress(), missed: member.missed + missed, beat });
    const gap = (): SSEMessage => ({
      event: 'gap',
      data: gapHtml(page, member.missed, listAddress(filter)),
    });
    return [
      ...messages,
      ...(missed === 0 ? [] : [gap()]),
      ...(isDue ? [{ event: 'beat', id: kept.id(), data: '' }] : []),
    ];
  }

  function render(key: string, { page, filter, progress }: Member, kept: LiveWindow): Rendered {
    const { rows, outcomes, missed } = kept.newsSince(progress, filter);
    const shown = { ...page, now: clock.now() };
    const messages = [
      ...(rows.length === 0 ? [] : [{ event: 'rows', id: kept.id(), data: rowsHtml(shown, rows) }]),
      ...(outcomes.length === 0 ? [] : [{ event: 'outcomes', data: outcomesHtml(shown, outcomes) }]),
    ];
    const news = { messages, missed };
    rendered.set(key, news);
    return news;
  }
}

/**
 * A client that ends its side still gets responses, because senders of webhooks do so. One that follows a stream
 * has gone then: without this its slot would be taken until a message cannot be sent. A reset has no `end`.
 */
function onSocketEnd(c: ConsoleContext, callback: () => void): Cancel {
  const socket = (c.env as { readonly incoming?: IncomingMessage } | undefined)?.incoming?.socket;
  if (socket === undefined) return () => undefined;
  // It ended while the request was being checked. The stream joins first, so that it can leave.
  if (socket.destroyed || socket.readableEnded) queueMicrotask(callback);
  socket.once('end', callback).once('close', callback);
  return () => {
    socket.off('end', callback).off('close', callback);
  };
}
