/** Stores and reads which sessions have signed out. */
import type { EndedSessions } from '../../ended-sessions.ts';
import { sessionDigest } from '../../shared/audit/session-digest.ts';
import type { Connection } from '../sql/connection.ts';
import { runNow } from '../sql/statement.ts';

/** Writes ended sessions. Called inside a transaction. */
export interface SessionWrites {
  endSession(session: string, endsAt: number): void;
}

export function createSessionWrites({ database, query, clock }: Connection): SessionWrites {
  return {
    endSession(session, endsAt) {
      runNow(database, query.deleteFrom('ended_sessions').where('ends_at', '<=', clock.now()));
      runNow(
        database,
        query
          .insertInto('ended_sessions')
          .values({ session: sessionDigest(session), ends_at: endsAt })
          .onConflict((conflict) => conflict.doNothing()),
      );
    },
  };
}

export function createSessionReads({
  query,
}: Pick<Connection, 'query'>): Pick<EndedSessions, 'isSessionEnded'> {
  return {
    async isSessionEnded(session) {
      const found = await query
        .selectFrom('ended_sessions')
        .select('session')
        .where('session', '=', sessionDigest(session))
        .execute();
      return found.length > 0;
    },
  };
}
