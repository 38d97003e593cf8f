/** Of a login's record, what the machine calls it. */
const phases = new Map([
  ['processing', 'running'],
  ['success', 'succeeded'],
  ['fail', 'failed'],
]);

/**
 * What the machine of a subject has to say, given its record; null where no machine follows it.
 *
 * @param {import('./outbox.mjs').Told} told
 * @param {import('./families.mjs').Data} record
 * @returns {Readonly<Record<string, unknown>> | null}
 */
export function expectedState(told, record) {
  switch (told.family) {
    case 'company-login':
    case 'user-login':
      return expectedLogin(told, record);
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
 * A machine knows of an attempt or a session from the first event of one on:
 * what was there before anybody listened is not told again.
 *
 * @param {import('./outbox.mjs').Told} told
 * @param {import('./families.mjs').Data} login
 */
function expectedLogin({ family, events }, { status, step, connected }) {
  const isSession = /** @param {{ type: string }} event */ ({ type }) => /[.](dis)?connected$/u.test(type);
  const hasAttempt = events.some((event) => !isSession(event));
  // Of users the specification does not show how a failure is told, so it is not.
  const phase = family === 'user-login' && status === 'fail' ? 'running' : phases.get(status);
  return {
    ...(hasAttempt && phase !== undefined && { phase, step }),
    ...(events.some(isSession) && { session: connected ? 'connected' : 'disconnected' }),
  };
}
