import { createHmac } from 'node:crypto';
import type { Database } from 'better-sqlite3';

/** Computes the digest that an erased event or entry has instead of its own. */
export type KeyedDigest = (digest: Uint8Array) => Uint8Array;

/** Reads the store's key: 32 bytes, drawn when the table was made. */
export function readErasureKey(database: Database): Uint8Array {
  const key = database.prepare<[], Uint8Array>('select key from erasure_key where id = 1').pluck().get();
  if (key === undefined) throw new Error('the table erasure_key is empty');
  return new Uint8Array(key);
}

/** Reads the key at the first call: a store that never erased anything needs none. */
export function createKeyedDigest(database: Database): KeyedDigest {
  let key: Uint8Array | undefined;
  return (digest) => {
    key ??= readErasureKey(database);
    return createHmac('sha256', key).update('digest').update(digest).digest();
  };
}

/**
 * The id of a subject whose own id was an identifier, such as a CPF. The same for
 * equal ids, so that a later webhook of the entity finds its subject.
 */
export function keyedEntity(keyed: KeyedDigest, entity: string): string {
  return `erased-${Buffer.from(keyed(Buffer.from(entity)))
    .toString('hex')
    .slice(0, 32)}`;
}

/** Whether a subject's id can be an identifier: ids of records are shorter numbers. */
export function canBeIdentifier(entity: string): boolean {
  return entity.length >= 8 && /\d{8}|@/.test(entity.replaceAll(/[\s().+-]/g, ''));
}
