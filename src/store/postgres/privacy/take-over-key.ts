/** Takes over the key of the database that a restored copy has replaced. */
import { sql } from 'kysely';
import type { Privacy } from '../../privacy.ts';
import { requireNoOwner } from '../database/connections/require-no-owner.ts';
import { formerStoreIds } from '../database/identity/store-id.ts';
import type { Connection } from '../sql/connection.ts';
import type { Session } from '../sql/session.ts';
import { anyErasure } from './keyed-digest.ts';
import { requireErasureLock } from './one-erasure.ts';

/** @param location the database as messages show it */
export function createTakeOverKey(
  { transact }: Pick<Connection, 'transact'>,
  location: string,
): Pick<Privacy, 'takeOverKey'> {
  return {
    takeOverKey: ({ key, storeIds }) =>
      transact(async ({ session }) => {
        await requireErasureLock(session);
        // A process that starts meanwhile waits for its lease, and then reads the new key.
        await session.run(sql`lock table leases in share row exclusive mode`);
        const own = await storeIdsOf(session);
        if (!own.some((storeId) => storeIds.includes(storeId)) || (await anyErasure(session))) return;
        await requireNoOwner({ session, location }, 'run `privacy reapply` again');
        await session.run(sql`
          insert into erasure_key values (1, ${key}) on conflict (id) do update set key = excluded.key`);
      }),
  };
}

/** Reads the store ids under which a database has handed out ids. */
export async function storeIdsOf(session: Session): Promise<readonly string[]> {
  const current = await session.rows(sql<{ storeId: string }>`select installation as "storeId" from store`);
  return [...current, ...(await formerStoreIds(session))].map(({ storeId }) => storeId);
}
