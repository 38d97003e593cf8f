/** The digests that erased content keeps, and the key behind them. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { keyedDigest, keyedEntity } from '../../erased-content.ts';
import type { Keyed } from '../../shared/privacy/erased-marks.ts';
import type { Session } from '../sql/session.ts';

/** Reads the store's key at the first call. It never changes. */
export function createKeyed(session: Session): () => Promise<Keyed> {
  let known: Promise<Keyed> | undefined;

  async function load(): Promise<Keyed> {
    return keyedBy(await readErasureKey(session));
  }

  return () => {
    known ??= load().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

export function keyedBy(key: Uint8Array): Keyed {
  const secret = createSecretKey(key);
  return {
    digest: (digest) => keyedDigest(secret, digest),
    entity: (entity) => keyedEntity(secret, entity),
  };
}

/** Reads the store's key: 32 bytes. Draws it in a new store. */
export async function readErasureKey(session: Session): Promise<Uint8Array> {
  const found = await findErasureKey(session);
  if (found !== null) return found;
  await session.run(sql`insert into erasure_key values (1, ${randomBytes(32)}) on conflict do nothing`);
  const drawn = await findErasureKey(session);
  if (drawn === null) throw new Error('the table erasure_key is empty');
  return drawn;
}

async function findErasureKey(session: Session): Promise<Uint8Array | null> {
  const row = await session.first(sql<{ key: Uint8Array }>`select key from erasure_key where id = 1`);
  return row === undefined ? null : new Uint8Array(row.key);
}

/** Whether anything can have been erased. */
export async function anyErasure(session: Session): Promise<boolean> {
  const row = await session.first(sql<{ found: boolean }>`select exists (select from erasures) as found`);
  return row?.found === true;
}
