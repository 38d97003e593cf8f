/** The digests that erased content keeps, and the key behind them. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { Keyed as SharedKeyed } from '../../shared/privacy/erased-marks.ts';
import { keyedDigest, keyedEntity } from '../../erased-content.ts';

export interface Keyed extends SharedKeyed {
  /** Whether anything can have been erased. An HMAC costs as much as half of an acceptance. */
  isInUse(): boolean;
}

/** Reads the store's key: 32 bytes, drawn when the table was made. */
export function readErasureKey(database: Database): Uint8Array {
  const key = database.prepare<[], Uint8Array>('select key from erasure_key where id = 1').pluck().get();
  if (key === undefined) throw new Error('the table erasure_key is empty');
  return new Uint8Array(key);
}

/** Reads the key at the first call: a store that never erased anything needs none. */
export function createKeyed(database: Database): Keyed {
  let known: KeyObject | undefined;
  const key = (): KeyObject => (known ??= createSecretKey(readErasureKey(database)));
  let inUse = false;
  const anyErasure = database.prepare<[], number>('select 1 from erasures where id > 0 limit 1').pluck();
  return {
    isInUse: () => (inUse ||= anyErasure.get() !== undefined),
    digest: (digest) => keyedDigest(key(), digest),
    entity: (entity) => keyedEntity(key(), entity),
  };
}
