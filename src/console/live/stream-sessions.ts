/** Limits streams, and ends those whose session has ended. */
import { failureReason } from '../../kernel/failure-reason.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { EndedSessions } from '../../store/audit.ts';
import type { Visitor } from '../../access/roles.ts';
import { SESSION_MS } from '../session.ts';
import type { Page } from '../page.ts';

/** Who follows a stream. */
interface Follower {
  readonly page: Pick<Page, 'visitor'>;
}

/** Streams at a time, of all clients together. */
export const MAX_MEMBERS = 50;
/** Streams at a time of one session, or of one person whom a proxy names. */
export const MAX_OF_SESSION = 10;

/** Streams at a time of all who sign in with one token, however often they do. */
export const MAX_OF_TOKEN = 30;
/** Streams at a time of all who may not operate: the other slots are kept for those who may. */
export const MAX_OF_VIEWERS = 40;

/** Whether there is a slot for a stream. Visitors of a loopback name share a session, so they may take all. */
export function hasSlot(members: Iterable<Follower>, { kind, name, session, may }: Visitor): boolean {
  const visitors = Array.from(members, ({ page }) => page.visitor);
  const count = (is: (other: Visitor) => boolean): number => visitors.filter(is).length;
  if (visitors.length >= MAX_MEMBERS) return false;
  if (kind === 'loopback') return true;
  if (count((other) => other.session === session) >= MAX_OF_SESSION) return false;
  if (kind === 'token' && count((other) => other.kind === 'token' && other.name === name) >= MAX_OF_TOKEN)
    return false;
  return may.includes('operate') || count((other) => !other.may.includes('operate')) < MAX_OF_VIEWERS;
}

/** Returns the milliseconds for which a stream may last; null without an end. A proxy is asked anew after 12 hours. */
export function lifetimeOf({ kind, endsAt }: Visitor, now: number): number | null {
  if (endsAt !== null) return endsAt - now;
  return kind === 'proxy' ? SESSION_MS : null;
}

export interface SessionCheckDeps {
  readonly store: Pick<EndedSessions, 'isSessionEnded'>;
  readonly log: Pick<Logger, 'error'>;
}

/**
 * Returns a check that calls `leave` for each member whose session was signed out, in any process. A check
 * that begins during another does nothing. What cannot be read is read with the next check.
 */
export function createSessionCheck<Member extends Follower>(
  { store, log }: SessionCheckDeps,
  leave: (member: Member) => void,
): (members: Iterable<Member>) => Promise<void> {
  let checking = false;
  return async (members) => {
    if (checking) return;
    checking = true;
    try {
      const bySession = Map.groupBy(
        [...members].filter(({ page }) => page.visitor.endsAt !== null),
        ({ page }) => page.visitor.session,
      );
      for (const [session, its] of bySession)
        if (await store.isSessionEnded(session)) for (const member of its) leave(member);
    } catch (error) {
      log.error({ reason: failureReason(error) }, 'the sessions of live pages could not be checked');
    } finally {
      checking = false;
    }
  };
}
