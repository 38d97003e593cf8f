/** Sends events to all live pages of this process. */
import { eventNumber } from '../../handle/fold/event-number.ts';
import { failureReason } from '../../kernel/failure-reason.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Cancel, Clock } from '../../kernel/time/clock.ts';
import type { EndedSessions } from '../../store/ended-sessions.ts';
import type { ForeignChanges } from '../../store/foreign-changes.ts';
import type { Queries } from '../../store/queries.ts';
import type { TelemetryFeed } from '../../telemetry/feed.ts';
import type { TelemetryEvents, TelemetryName } from '../../telemetry/telemetry.ts';
import type { Page } from '../page.ts';
import { createFollowedOutcomes } from './followed-outcomes.ts';
import { liveFilterMatches, type LiveFilter } from './live-filter.ts';
import { createMember, liveMessage, type Member } from './live-member.ts';
import { newOutcome, newRows } from './live-rows.tsx';
import { createLiveViews, gapMessage } from './live-views.ts';
import { recentEvents, type LiveRow } from './recent-events.ts';
import { createSeenEvents } from './seen-events.ts';
import { createSessionCheck, hasPlace, lifetimeOf } from './stream-sessions.ts';

/** Milliseconds before the first message after a pause: events of one commit share it. */
const LEAD_MS = 10;
/** Milliseconds between messages, at least, and for each row: rows that come faster wait for each other. */
const INTERVAL_MS = 100;
const ROW_MS = 5;
/** Milliseconds between messages while events come faster than they are shown. */
const OVERLOADED_INTERVAL_MS = 1_000;
/** Milliseconds between messages of a silent stream. */
export const BEAT_MS = 15_000;
/** Milliseconds between polls for changes by other processes, which the store may not report. */
export const LOOK_MS = 1_000;
/** Events of other processes that are read at a time. */
const MAX_FILLED = 200;

export interface LiveHubDeps {
  readonly feed: TelemetryFeed;
  readonly store: Pick<Queries, 'events' | 'deliveriesOf'> &
    Pick<EndedSessions, 'isSessionEnded'> &
    ForeignChanges;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'error'>;
}

export interface JoinRequest {
  /** The request of the client: its language renders the rows. */
  readonly page: Page;
  readonly filter: LiveFilter;
  /** The last event that the client knows; null for a client that knows none. */
  readonly after: string | null;
  /** Calls back when the client has gone. */
  onGone(this: void, callback: () => void): Cancel;
}

/** The streams of the live page. */
export interface LiveHub {
  /** Opens a stream; `full` beyond 50, and beyond 10 of one session; `closed` while the process stops. */
  join(request: JoinRequest): ReadableStream<Uint8Array> | 'full' | 'closed';
}

/**
 * Sends clients what telemetry reports, rendered once for each filter and language. Outcomes, and events that
 * other processes stored, are read for all clients at once. Without a client nothing listens.
 */
export function createLiveHub({ feed, store, clock, log }: LiveHubDeps): LiveHub {
  const members = new Map<Member, Cancel>();
  const seen = createSeenEvents();
  const views = createLiveViews(send);
  const outcomes = createFollowedOutcomes({
    store,
    log,
    due: schedule,
    send(known) {
      views.sendOutcomes(known, clock.now());
    },
  });

  const checkSessions = createSessionCheck({ store, log }, leave);

  let stopListening: Cancel = () => undefined;
  let stopForeign: Cancel = () => undefined;
  let cancelBeat: Cancel = () => undefined;
  let cancelLook: Cancel = () => undefined;
  let cancelFlush: Cancel | null = null;
  let nextFlushAt = 0;
  let filling = false;
  /** Whether another process may have stored events. */
  let foreign = false;
  /** Whether this process has stored events since the last look for others. */
  let reported = false;
  /** Counts the times without a client. What was being read before such a time is of no use after it. */
  let pauses = 0;
  let closed = false;

  function begin(): void {
    stopListening = feed.listen({ report, ended: close });
    stopForeign = store.onForeignChange(expectForeign);
    cancelBeat = clock.after(BEAT_MS, beat);
    cancelLook = clock.after(LOOK_MS, look);
  }

  function pause(): void {
    stopListening();
    stopForeign();
    cancelBeat();
    cancelLook();
    cancelFlush?.();
    cancelFlush = null;
    filling = false;
    pauses += 1;
    seen.clear();
    outcomes.clear();
  }

  function close(): void {
    closed = true;
    for (const member of members.keys()) leave(member);
  }

  function leave(member: Member): void {
    const cancelEnd = members.get(member);
    if (cancelEnd === undefined) return;
    cancelEnd();
    members.delete(member);
    views.leave(member);
    member.end();
    if (members.size === 0) pause();
  }

  function send(member: Member, message: Uint8Array): void {
    if (!members.has(member) || member.send(message)) return;
    log.debug({ streams: members.size }, 'a live page reads too slowly and was dropped');
    leave(member);
  }

  function report<N extends TelemetryName>(name: N, fields: TelemetryEvents[N]): void {
    if (name === 'event.stored') {
      const event = fields as TelemetryEvents['event.stored'];
      const row: LiveRow = { event, outcome: event.pending > 0 ? { pending: event.pending } : {} };
      reported = true;
      if (!seen.add(row)) return;
      views.add(row);
      schedule();
    } else if (name.startsWith('delivery.')) {
      const { event } = fields as TelemetryEvents['delivery.started'];
      outcomes.change(event);
    }
  }

  function schedule(): void {
    cancelFlush ??= clock.after(Math.max(LEAD_MS, nextFlushAt - clock.monotonic()), flush);
  }

  function expectForeign(): void {
    foreign = true;
    schedule();
  }

  /** Other processes store events, and end deliveries of those that are shown here. */
  function look(): void {
    cancelLook = clock.after(LOOK_MS, look);
    outcomes.recheck();
    // An event of another process leaves a hole before one of this process, which is read without looking.
    if (!reported) expectForeign();
    else schedule();
    reported = false;
  }

  function flush(): void {
    cancelFlush = null;
    const { sent, overloaded } = views.sendRows(seen.settled()?.id ?? '', clock.now());
    const pause = overloaded ? OVERLOADED_INTERVAL_MS : Math.max(INTERVAL_MS, sent.length * ROW_MS);
    nextFlushAt = clock.monotonic() + pause;
    outcomes.follow(sent);
    if (foreign || seen.hasHole()) void fill();
    void outcomes.read();
  }

  /** Reads the events that another process stored, which no telemetry of this process reports. */
  async function fill(): Promise<void> {
    const from = seen.settled();
    if (filling || from === null) return;
    filling = true;
    foreign = false;
    const begun = pauses;
    try {
      const after = from.number === 0 ? {} : { after: from.id };
      const found = await store.events({}, { order: 'oldest', limit: MAX_FILLED, ...after });
      if (pauses !== begun) return;
      const last = found.at(-1);
      const rows = found.map((event) => ({ event, outcome: {} })).filter((row) => seen.add(row));
      for (const row of rows) views.add(row);
      // Too many to follow one by one: clients that come later begin after them.
      const lost = found.length < MAX_FILLED ? 0 : seen.settle();
      if (last !== undefined && found.length < MAX_FILLED) seen.settle(last.id);
      for (const [member] of members) if (lost > 0 && member.from !== null) sayMissed(member, lost);
      outcomes.follow(rows);
      for (const { event } of rows) outcomes.change(event.id);
      if (rows.length > 0) schedule();
    } catch (error) {
      log.error({ reason: failureReason(error) }, 'the events for live pages could not be read');
    } finally {
      if (pauses === begun) filling = false;
    }
  }

  function sayMissed(member: Member, events: number): void {
    member.missed += events;
    send(member, gapMessage(member));
  }

  /** Shows clients that the stream is alive; notices sign-outs. */
  function beat(): void {
    cancelBeat = clock.after(BEAT_MS, beat);
    void checkSessions(members.keys());
    const message = liveMessage({ id: seen.settled()?.id ?? '', event: 'beat' });
    for (const [member] of members) if (member.from !== null) send(member, message);
  }

  /** Sends what came since the client's last event, and what became of the rows that it may show. */
  async function catchUp(member: Member, after: string | null): Promise<void> {
    const since = after === null ? null : eventNumber(after);
    const recent = await recentEvents(store, member.filter, since ?? undefined);
    if (!members.has(member)) return;
    seen.begin(recent.newest);
    const from = recent.newest === null ? 0 : eventNumber(recent.newest);
    member.from = from;
    // An event of another database may have any number.
    const known = since === null || since > from ? from : since;
    const news = recent.rows.filter(({ event }) => eventNumber(event.id) > known);
    // Stored while the store was being read, and sent to the others meanwhile.
    const sentMeanwhile = seen
      .after(from)
      .filter((row) => liveFilterMatches(member.filter, row.event) && !views.awaits(member, row));
    const page = { ...member.page, now: clock.now() };
    const html = [
      newRows(page, [...sentMeanwhile.toReversed(), ...news]),
      ...recent.rows
        .filter(({ event }) => eventNumber(event.id) <= known)
        .map(({ event, outcome }) => newOutcome(page, event, outcome)),
    ].join('');
    const id = recent.newest ?? '';
    if (html !== '') send(member, liveMessage({ id, data: html }));
    if (known === since && recent.missed > 0) sayMissed(member, recent.missed);
    send(member, liveMessage({ id, event: 'joined' }));
    if (!members.has(member)) return;
    views.enter(member);
    outcomes.follow([...recent.rows.toReversed(), ...sentMeanwhile]);
    if (seen.hasHole()) void fill();
  }

  return {
    join({ page, filter, after, onGone }) {
      if (closed) return 'closed';
      if (!hasPlace(members.keys(), page.visitor)) return 'full';
      if (members.size === 0) begin();
      const member = createMember({ page, filter }, leave);
      const end = (): void => {
        leave(member);
      };
      const lifetime = lifetimeOf(page.visitor, clock.now());
      const cancels = [onGone(end), ...(lifetime === null ? [] : [clock.after(lifetime, end)])];
      members.set(member, () => {
        for (const cancel of cancels) cancel();
      });
      catchUp(member, after).catch((error: unknown) => {
        log.error({ reason: failureReason(error) }, 'a live page could not be filled');
        leave(member);
      });
      return member.stream;
    },
  };
}
