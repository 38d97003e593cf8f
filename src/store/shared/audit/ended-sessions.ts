/** Stores and reads which sessions have signed out, in any process. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { EndedSessions } from '../../audit.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { run, type Write } from '../sql/statements.ts';

export function createSessionWrites({ clock }: Pick<SharedConnection, 'clock'>) {
  return {
    *endSession(session: string, endsAt: number): Write<void> {
      yield* run(sql`delete from ended_sessions where ends_at <= ${clock.now()}`);
      yield* run(sql`
        insert into ended_sessions (session, ends_at) values (${sessionDigest(session)}, ${endsAt})
        on conflict do nothing`);
    },
  };
}

export function createSessionReads({
  read,
}: Pick<SharedConnection, 'read'>): Pick<EndedSessions, 'isSessionEnded'> {
  return {
    async isSessionEnded(session) {
      const found = await read.first(
        sql`select 1 from ended_sessions where session = ${sessionDigest(session)}`,
      );
      return found !== undefined;
    },
  };
}

/** Returns what is stored of a session's id: whoever reads the store must not learn the id. */
function sessionDigest(session: string): string {
  return createHash('sha256').update(session).digest('base64url');
}
