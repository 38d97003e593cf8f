import { latestOf } from './received.mjs';

/** The machine's phase after each report of an attempt. */
const phases = new Map([
  ['started', 'running'],
  ['step.updated', 'running'],
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
]);

/**
 * The state that a machine must have by the events that the receiver has. Null if no machine follows the family.
 *
 * @param {import('./families.mjs').Family} family
 * @param {import('./received.mjs').Received} received
 * @returns {Readonly<Record<string, unknown>> | null}
 */
export function expectedState(family, received) {
  const { data } = latestOf(received);
  switch (family) {
    case 'company-login':
    case 'user-login':
      return expectedLogin(received);
    case 'traffic-violation-ticket':
    case 'antt-violation-ticket':
    case 'charge-payment-slip':
      return { status: data['status'] };
    case 'traffic-violation-indication':
      return {
        status: data['status'],
        document: data['document_status'] ?? 'none',
        external: data['external'],
      };
    default:
      return null;
  }
}

/**
 * A machine knows an attempt or a session only from its first webhook on.
 *
 * @param {import('./received.mjs').Received} received
 */
function expectedLogin({ events }) {
  const isSession = /** @param {{ kind: string }} event */ ({ kind }) => /[.](dis)?connected$/u.test(kind);
  const [session, attempt] = [events.filter(isSession), events.filter((event) => !isSession(event))].map(
    (some) => (some.length === 0 ? undefined : latestOf({ events: some })),
  );
  return {
    ...(attempt && {
      phase: phases.get(attempt.kind.replace(/^\w+\.login\./u, '')),
      step: attempt.data['step'],
    }),
    ...(session && { session: session.kind.endsWith('.disconnected') ? 'disconnected' : 'connected' }),
  };
}
