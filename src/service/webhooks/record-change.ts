import { CompiledQuery } from 'kysely';
import type { DataOf, EventKind } from '../../contract/catalogue.ts';
import type { Change } from '../change.ts';
import { laneHash } from './lane-hash.ts';

/** Every change runs these two, so Kysely does not put them together anew each time. */
const insertEvent = `
  insert into webhook_events (organization_id, type, body, created_at)
  select ?, ?, ?, ? where exists (select 1 from webhook_endpoints where organization_id = ?)
  returning id`;
const insertDeliveries = `
  insert into webhook_deliveries (organization_id, endpoint_id, event_id, lane, status, due_at)
  select organization_id, id, ?, ? % lanes, 'pending', ?
  from webhook_endpoints where organization_id = ? order by id`;

/**
 * Writes the webhook of a change, in its transaction, for every endpoint that the
 * organization has at that moment: what is not committed is never sent, and what
 * is committed always. Nothing where the change is not told.
 *
 * @param userId whose record it is, when it is an individual user's: while the
 *   link is inactive nothing is sent (specification, Webhook envelope).
 */
export async function recordChange<Kind extends EventKind>(
  change: Change,
  type: Kind,
  data: DataOf<Kind>,
  userId: number | null = null,
): Promise<void> {
  const { transaction, organization, at } = change;
  if (!change.isTold || (await isSuppressed(change, userId))) return;
  const body = JSON.stringify({ type, data });
  const recorded = await transaction.executeQuery<{ readonly id: number }>(
    CompiledQuery.raw(insertEvent, [organization, type, body, at, organization]),
  );
  const [event] = recorded.rows;
  // Nobody to tell.
  if (event === undefined) return;
  change.touched.add('webhooks');
  await transaction.executeQuery(
    CompiledQuery.raw(insertDeliveries, [event.id, laneHash(type, data.id), at, organization]),
  );
}

async function isSuppressed({ transaction, organization }: Change, userId: number | null): Promise<boolean> {
  if (userId === null) return false;
  const user = await transaction
    .selectFrom('users')
    .select('status')
    .where('id', '=', userId)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  return user?.status === 'inactive';
}
