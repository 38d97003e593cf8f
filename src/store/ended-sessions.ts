/**
 * Remembers the sessions that were signed out. A session is a signed cookie, valid in every process; without
 * this, a copy of it would outlive the sign-out.
 */
export interface EndedSessions {
  /**
   * Ends a session.
   *
   * @param session its id
   * @param endsAt milliseconds since 1970 at which it would have ended; it is forgotten then
   */
  endSession(session: string, endsAt: number): Promise<void>;
  isSessionEnded(session: string): Promise<boolean>;
}
