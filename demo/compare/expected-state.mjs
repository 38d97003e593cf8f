/** The machine's phase for each status of a login. */
const phases = new Map([
  ['processing', 'running'],
  ['success', 'succeeded'],
  ['fail', 'failed'],
]);

/**
 * The state that a machine must have for a record. Null if no machine follows the family.
 *
 * @param {import('./outbox.mjs').SentSubject} sent
 * @param {import('./families.mjs').Data} record
 * @returns {Readonly<Record<string, unknown>> | null}
 */
export function expectedState(sent, record) {
  switch (sent.family) {
    case 'company-login':
    case 'user-login':
      return expectedLogin(sent, record);
    case 'traffic-violation-ticket':
    case 'antt-violation-ticket':
    case 'charge-payment-slip':
      return { status: record['status'] };
    case 'traffic-violation-indication':
      return {
        status: record['status'],
        document: record['document_status'] ?? 'none',
        external: record['external'],
      };
    default:
      return null;
  }
}

/**
 * A machine knows an attempt or a session only from its first webhook on: earlier
 * ones are not sent again.
 *
 * @param {import('./outbox.mjs').SentSubject} sent
 * @param {import('./families.mjs').Data} login
 */
function expectedLogin({ family, events }, { status, step, connected }) {
  const isSession = /** @param {{ type: string }} event */ ({ type }) => /[.](dis)?connected$/u.test(type);
  const lastOfAttempt = events.findLast((event) => !isSession(event));
  // The specification has no event for the failed login of a user, so none is sent.
  const isUntold = family === 'user-login' && status === 'fail';
  const phase = isUntold ? 'running' : phases.get(status);
  // An attempt that fails before its first step gets the first step, which no event tells either.
  const knownStep = isUntold && lastOfAttempt?.type.endsWith('.started') === true ? null : step;
  return {
    ...(lastOfAttempt !== undefined && phase !== undefined && { phase, step: knownStep }),
    ...(events.some(isSession) && { session: connected ? 'connected' : 'disconnected' }),
  };
}
