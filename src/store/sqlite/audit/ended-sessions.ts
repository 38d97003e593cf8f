import { createHash } from 'node:crypto';
import type { EndedSessions } from '../../ended-sessions.ts';
import type { Connection } from '../sql/connection.ts';
import { runNow } from '../sql/statement.ts';

/** Writes ended sessions. Called inside a transaction. */
export interface SessionWrites {
  endSession(session: string, endsAt: number): void;
}

/** Whoever reads the file must not learn an id. */
const digestOf = (session: string): string => createHash('sha256').update(session).digest('base64url');

export function createSessionWrites({ database, query, clock }: Connection): SessionWrites {
  return {
    endSession(session, endsAt) {
      runNow(database, query.deleteFrom('ended_sessions').where('ends_at', '<=', clock.now()));
      runNow(
        database,
        query
          .insertInto('ended_sessions')
          .values({ session: digestOf(session), ends_at: endsAt })
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
        .where('session', '=', digestOf(session))
        .execute();
      return found.length > 0;
    },
  };
}
