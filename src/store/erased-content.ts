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

/** Returns what makes ids of digests, by a store's key. */
export function keyedIds(key: Uint8Array): (digest: string) => string {
  const secret = createSecretKey(key);
  return (digest) => `keyed-${subjectHash(secret, digest)}`;
}

/** The id of a subject whose own id identified a person. The same for equal ids, so that it stays one subject. */
export function keyedEntity(key: KeyObject, entity: string): string {
  return `erased-${subjectHash(key, entity)}`;
}

const subjectHash = (key: KeyObject, id: string): string =>
  createHmac('sha256', key).update('subject').update(id).digest('hex').slice(0, 32);

/** Whether a subject's id can be an identifier: ids of records are shorter numbers. */
export function canBeIdentifier(entity: string): boolean {
  return entity.length >= 8 && /\d{8}|@/.test(entity.replaceAll(/[\s().+-]/g, ''));
}
