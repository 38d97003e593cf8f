/** What stands in the place of erased digests and subjects, alike in every store. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/**
 * The digest of an erased event or entry: keyed, because content of which only a CPF is unknown can be
 * guessed from its own digest. Every implementation of the store uses the same, so that exports fit.
 *
 * @param key the store's key of 32 bytes. As bytes, each call would prepare it again, for up to 40 microseconds.
 * @param digest of the content before it was erased
 */
export function keyedDigest(key: KeyObject, digest: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update('digest').update(digest).digest();
}

/** Ids that are digests without a key, of content, a message id or an id: what is guessed can be compared with them. */
const DIGEST_ID = /^(?:content|message|sha256)-[0-9a-f]{32}$/u;

export const isDigestId = (entity: string): boolean => DIGEST_ID.test(entity);

/** Returns what makes ids of digests, by a store's key. */
export function keyedIds(key: Uint8Array): (digest: string) => string {
  const secret = createSecretKey(key);
  return (digest) => keyedEntity(secret, digest);
}

/**
 * The id of a subject whose own id identified a person, or is a digest. The same for equal ids, so that it stays one
 * subject.
 */
export function keyedEntity(key: KeyObject, entity: string): string {
  const hash = createHmac('sha256', key).update('subject').update(entity).digest('hex');
  return `${isDigestId(entity) ? 'keyed' : 'erased'}-${hash.slice(0, 32)}`;
}

/** Whether a subject's id can be an identifier: ids of records are shorter numbers. */
export function canBeIdentifier(entity: string): boolean {
  return entity.length >= 8 && /\d{8}|@/.test(entity.replaceAll(/[\s().+-]/g, ''));
}
