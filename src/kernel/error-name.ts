/** Names errors without their messages, which may quote personal data. */

/** Longer names are no names of error classes. */
const NAME = /^[A-Za-z_$][\w$]{0,59}$/;

/**
 * Returns the name of an error's class, for places that must not show what was sent: a message may quote it.
 * Never throws.
 */
export function errorName(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return 'it threw no error';
    const { name } = thrown as { readonly name: unknown };
    return typeof name === 'string' && NAME.test(name) ? name : 'Error';
  } catch {
    // A proxy or a getter of the error failed.
    return 'Error';
  }
}
