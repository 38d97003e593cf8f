/** The store id, the first part of the ids of new events, and those that it has replaced. */
import { sql } from 'kysely';
import type { Random } from '../../../../kernel/random.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';
import { drawStoreId, type FormerStoreId } from '../../../shared/ids.ts';
import type { Session } from '../../sql/session.ts';

/** Reads the store id, or draws it when the database is opened for the first time. */
export async function findOrDrawStoreId(session: Session, clock: Clock, random: Random): Promise<string> {
  await session.run(sql`
    insert into store (id, installation, created_at) values (1, ${drawStoreId(random)}, ${clock.now()})
    on conflict do nothing`);
  const row = await session.first(sql<{ installation: string }>`select installation from store`);
  return row?.installation ?? '';
}

/** Reads the store ids that were replaced, oldest first. */
export function formerStoreIds(session: Session): Promise<readonly FormerStoreId[]> {
  return session.rows(
    sql<FormerStoreId>`
      select store_id as "storeId", last_event as "lastEvent" from former_store_ids order by last_event`,
  );
}
