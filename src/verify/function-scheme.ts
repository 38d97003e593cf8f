/** Runs the function by which a source of the handlers folder verifies its senders. */
import type { Verified } from '../contract/source-verification.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { SECOND_MS } from '../kernel/time/durations.ts';
import { notVerified } from './headers.ts';
import type { FunctionOptions, SlowScheme } from './verify-options.ts';

/** The time that a function may take. The sender waits for it. */
const TIMEOUT_MS = 5 * SECOND_MS;

/** Fails the same for every reason: what the function says may be a secret, so it goes to the log alone. */
const NOT_ACCEPTED = 'The verification of this source does not accept the request';

/** Scheme `function`: the function returns true, nothing, or the message's id. Anything else is not verified. */
export function functionScheme({ verify, secrets }: FunctionOptions, clock: Clock): SlowScheme {
  return async ({ method = '', path = '', query, headers, body }) => {
    // Copies: the function may change them, and the bytes are stored as they came.
    const request = { method, path, query: { ...query }, headers: { ...headers }, body: Buffer.from(body) };
    let result: Verified | void;
    try {
      result = await within(clock, () => verify(request, { secrets, now: clock.now() }));
    } catch (cause) {
      throw notVerified('mismatch', NOT_ACCEPTED, undefined, cause);
    }
    if (result === true || result === undefined) return undefined;
    const id = typeof result === 'object' ? (result as typeof result | null)?.messageId : result;
    if (typeof id === 'string' && id !== '') return id;
    throw notVerified('mismatch', NOT_ACCEPTED);
  };
}

/** @throws Error when there is no result in time, which is then ignored */
async function within<T>(clock: Clock, run: () => T | Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(TIMEOUT_MS, () => {
    reject(new Error(`verify took longer than ${String(TIMEOUT_MS / SECOND_MS)} seconds`));
  });
  try {
    return await Promise.race([run(), late]);
  } finally {
    cancel();
  }
}
