/** Reads the sender's own id of a message. */
import { createHash } from 'node:crypto';

/** Longer than every message id in use, and short enough to index. */
const MAX_LENGTH = 256;

/**
 * Reads the id of a header: 1 to 256 visible ASCII characters. Null for anything else, and for a repeated header,
 * which Node joins with a comma and a space.
 */
export function readMessageId(value: string | undefined): string | null {
  if (value === undefined || value.length > MAX_LENGTH) return null;
  return /^[\x21-\x7e]+$/.test(value) ? value : null;
}

/** Reads the id of a body: a text or a number. One that no header could have is known by its digest. */
export function messageIdOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '') return null;
  return readMessageId(text) ?? `sha256-${createHash('sha256').update(text).digest('hex')}`;
}
