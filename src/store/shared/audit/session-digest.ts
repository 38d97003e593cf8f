/** The digest that stands for a session in a store. */
import { createHash } from 'node:crypto';

/** Returns what is stored of a session's id: whoever reads the store must not learn the id. */
export function sessionDigest(session: string): string {
  return createHash('sha256').update(session).digest('base64url');
}
