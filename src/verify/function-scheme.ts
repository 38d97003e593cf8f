/** Runs the function by which a source of the handlers folder verifies its senders. */
import type { Verified } from '../contract/source-verification.ts';
import { copiedRequest } from '../event/delivery.ts';
import { startDeadline } from '../kernel/http/deadline.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { SECOND_MS } from '../kernel/time/durations.ts';
import { notVerified } from './headers.ts';
import type { FunctionOptions, SlowScheme } from './verify-options.ts';

/** The time that a function may take. The sender waits for it. */
const TIMEOUT_MS = 5 * SECOND_MS;

/** The sender gets one sentence for every reason. What the function throws may quote a secret, so only the log has it. */
const NOT_ACCEPTED = 'The verification of this source does not accept the request';

/** Scheme `function`: the function returns true, nothing, or the message's id. Anything else is not verified. */
export function functionScheme({ verify, secrets }: FunctionOptions, clock: Clock): SlowScheme {
  return async (delivery) => {
    let result: Verified | void;
    const deadline = startDeadline(clock, TIMEOUT_MS);
    try {
      result = await deadline.race(verify(copiedRequest(delivery), { secrets, now: clock.now() }));
    } catch (cause) {
      throw notVerified('mismatch', NOT_ACCEPTED, undefined, cause);
    } finally {
      deadline.end();
    }
    if (result === true || result === undefined) return undefined;
    const id = typeof result === 'object' ? (result as typeof result | null)?.messageId : result;
    if (typeof id === 'string' && id !== '') return id;
    throw notVerified('mismatch', NOT_ACCEPTED);
  };
}
