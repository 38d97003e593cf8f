import { sql } from 'kysely';
import type { Session } from '../sql/session.ts';

/** Notes that pauses have changed, so that whoever keeps them reads them again. */
export async function notePauseChange(session: Session): Promise<void> {
  await session.run(sql`update pause_changes set changes = changes + 1`);
}
