/** The lock between those that rely on stored content and those that remove it. */
import { sql } from 'kysely';
import { CONTENT_LOCK } from '../sql/advisory-locks.ts';
import type { Session } from '../sql/session.ts';

/**
 * Waits for those that keep content, and keeps them waiting: one transaction at a time prunes or erases.
 *
 * Whoever makes a stored event wait again (a replay) or holds its subject takes `keepContents` of the dialect first,
 * before lanes, and then asks what is still there: so no event waits, or is held, whose content vanishes.
 */
export async function removeContents(session: Session): Promise<void> {
  await session.run(sql`select pg_advisory_xact_lock(${CONTENT_LOCK}, 0)`);
}
