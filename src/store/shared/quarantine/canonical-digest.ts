/** The digest by which the quarantine recognizes the body of an erased entry. */
import { createHash } from 'node:crypto';
import { canonicalBytes } from '../../../kernel/json/canonical-json.ts';
import { parseJson } from '../../../kernel/json/parse-json.ts';

/**
 * Returns the SHA-256 of the canonical JSON of a body: the same for any order of members, white space and escapes.
 * Null for bytes that are no JSON, or JSON nested too deep to walk.
 */
export function canonicalDigest(body: Uint8Array): Uint8Array | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return createHash('sha256')
      .update(canonicalBytes(parseJson(text)))
      .digest();
  } catch {
    return null;
  }
}
