import { latin1Text } from '../text/latin-1-text.ts';

/**
 * The text of JSON bytes. A byte order mark before it is dropped, as RFC 8259
 * (section 8.1) allows; JSON.parse would refuse it.
 *
 * @throws TypeError when the bytes are not UTF-8. Nothing is replaced: what
 *   JSON.parse sees is what was sent.
 */
export function decodeJsonText(bytes: Uint8Array): string {
  return latin1Text(bytes) ?? new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
