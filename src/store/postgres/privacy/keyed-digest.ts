import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { keyedDigest, keyedEntity } from '../../erased-content.ts';
import type { Session } from '../sql/session.ts';

/** Computes what erased content has instead of its own digest and id. */
export interface Keyed {
  digest(digest: Uint8Array): Uint8Array;
  entity(entity: string): string;
}

/**
 * Returns null while nothing has been erased. Another process may have begun the first erasure meanwhile, so this
 * asks the ledger each time, which has a few rows.
 *
 * Called after content or a subject was looked for by its own digest or id, and was not found: an erasure that
 * has replaced these is in the ledger by then. A subject of which content was erased has `erased` above 0.
 */
export async function readKeyed(session: Session): Promise<Keyed | null> {
  const row = await session.first(
    sql<{ key: Uint8Array }>`select key from erasure_key where exists (select from erasures)`,
  );
  return row === undefined ? null : keyedBy(row.key);
}

export function keyedBy(key: Uint8Array): Keyed {
  return {
    digest: (digest) => keyedDigest(key, digest),
    entity: (entity) => keyedEntity(key, entity),
  };
}

/** Reads the store's key, 32 bytes. The first process that needs one draws it for all. */
export async function readErasureKey(session: Session): Promise<Uint8Array> {
  const found = sql<{ key: Uint8Array }>`select key from erasure_key`;
  const known = await session.first(found);
  if (known !== undefined) return new Uint8Array(known.key);
  await session.run(sql`
    insert into erasure_key (id, key) values (1, ${randomBytes(32)}) on conflict do nothing`);
  const drawn = await session.first(found);
  if (drawn === undefined) throw new Error('the table erasure_key is empty');
  return new Uint8Array(drawn.key);
}
