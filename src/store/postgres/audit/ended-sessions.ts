/** Stores and reads which sessions have signed out. */
import { sql } from 'kysely';
import type { EndedSessions } from '../../ended-sessions.ts';
import { sessionDigest } from '../../shared/audit/session-digest.ts';
import type { Connection } from '../sql/connection.ts';

/** Remembers the sessions that were signed out, in any process. */
export function createEndedSessions({ transact, read, clock }: Connection): EndedSessions {
  return {
    endSession: (name, endsAt) =>
      transact(async ({ session }) => {
        await session.run(sql`delete from ended_sessions where ends_at <= ${clock.now()}`);
        await session.run(sql`
          insert into ended_sessions (session, ends_at) values (${sessionDigest(name)}, ${endsAt})
          on conflict do nothing`);
      }),
    async isSessionEnded(name) {
      const found = await read.first(sql`select from ended_sessions where session = ${sessionDigest(name)}`);
      return found !== undefined;
    },
  };
}
