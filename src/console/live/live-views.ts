/** Groups live pages that show the same, so that rows are rendered once. */
import { eventNumber } from '../../handle/fold/event-number.ts';
import { listAddress, liveFilterMatches, liveParameters, type LiveEvent } from './live-filter.ts';
import { liveMessage, type Member } from './live-member.ts';
import { newGap, newOutcome, newRows } from './live-rows.tsx';
import type { StatusCounts } from '../../operate/show/event-outcomes.ts';
import type { LiveRow } from './recent-events.ts';

/** Rows that a view sends at a time, at most. More come faster than anyone reads. */
const MAX_SENT = 50;

/** Members with the same filter and language: what they are sent is rendered once. */
interface View {
  readonly members: Set<Member>;
  /** Oldest first. */
  waiting: LiveRow[];
  /** Events that there was no room for since the last message. */
  skipped: number;
}

/** The members of all streams, by what they show. */
export interface LiveViews {
  enter(member: Member): void;
  leave(member: Member): void;
  /** Keeps a row until the next `sendRows`. */
  add(row: LiveRow): void;
  /** Whether the row is kept for the view of this member. */
  awaits(member: Member, row: LiveRow): boolean;
  /**
   * Sends the kept rows.
   *
   * @param id the event that clients resume after
   * @returns the rows that were sent, and whether some were left out
   */
  sendRows(id: string, now: number): { readonly sent: readonly LiveRow[]; readonly overloaded: boolean };
  /** Sends what became of an event to those that show it. */
  sendOutcomes(outcomes: readonly (readonly [LiveEvent, StatusCounts])[], now: number): void;
}

/** @param send sends a message, and drops a member that does not read */
export function createLiveViews(send: (member: Member, message: Uint8Array) => void): LiveViews {
  const views = new Map<string, View>();

  function sendView(view: View, id: string, now: number): readonly LiveRow[] {
    const rows = view.waiting.toReversed();
    const { skipped } = view;
    view.waiting = [];
    view.skipped = 0;
    // Members that joined together are sent the same.
    const messages = new Map<string, Uint8Array | null>();
    for (const member of view.members) {
      const news = rows.filter(({ event }) => eventNumber(event.id) > (member.from ?? 0));
      member.missed += skipped;
      const key = `${String(news.length)} ${String(member.missed)}`;
      const message = messages.get(key) ?? messageOf(member, news, skipped > 0, { id, now });
      messages.set(key, message);
      if (message !== null) send(member, message);
    }
    return rows;
  }

  return {
    enter(member) {
      const key = keyOf(member);
      const view = views.get(key);
      if (view === undefined) views.set(key, { members: new Set([member]), waiting: [], skipped: 0 });
      else view.members.add(member);
    },
    leave(member) {
      const key = keyOf(member);
      const view = views.get(key);
      view?.members.delete(member);
      if (view?.members.size === 0) views.delete(key);
    },
    add(row) {
      for (const view of views.values()) {
        if (!liveFilterMatches(anyOf(view).filter, row.event)) continue;
        view.waiting.push(row);
        if (view.waiting.length <= MAX_SENT) continue;
        view.waiting.shift();
        view.skipped += 1;
      }
    },
    awaits: (member, row) => views.get(keyOf(member))?.waiting.includes(row) === true,
    sendRows(id, now) {
      const busy = [...views.values()].filter(({ waiting }) => waiting.length > 0);
      const overloaded = busy.some(({ skipped }) => skipped > 0);
      const sent = busy.flatMap((view) => sendView(view, id, now));
      return { sent, overloaded };
    },
    sendOutcomes(outcomes, now) {
      for (const view of views.values()) {
        const { filter, page } = anyOf(view);
        const html = outcomes
          .filter(([event]) => liveFilterMatches(filter, event))
          .map(([event, outcome]) => newOutcome({ ...page, now }, event, outcome))
          .join('');
        if (html === '') continue;
        const message = liveMessage({ id: '', data: html });
        for (const member of view.members) send(member, message);
      }
    },
  };
}

/** Tells a client how many events it was not shown, and where they are. */
export function gapMessage(member: Member): Uint8Array {
  return liveMessage({ id: '', data: gapOf(member) });
}

function gapOf({ page, filter, missed }: Member): string {
  return newGap(page, missed, listAddress(filter));
}

/** The rows that are new to a member, and how many it was not shown; null when there is neither. */
function messageOf(
  member: Member,
  news: readonly LiveRow[],
  hasGap: boolean,
  { id, now }: { readonly id: string; readonly now: number },
): Uint8Array | null {
  if (news.length === 0 && !hasGap) return null;
  const data = [newRows({ ...member.page, now }, news), ...(hasGap ? [gapOf(member)] : [])].join('');
  return liveMessage({ id: news.length === 0 ? '' : id, data });
}

function keyOf({ page, filter }: Member): string {
  return `${page.language} ${liveParameters(filter).toString()}`;
}

/** A view exists as long as it has members. */
function anyOf({ members }: View): Member {
  const [first] = members;
  if (first === undefined) throw new Error('a view of the live page has no member');
  return first;
}
