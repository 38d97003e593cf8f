import type { DataOf, EventKind } from '../../contract/catalogue.ts';
import type { Change } from '../change.ts';

/**
 * Writes the webhook of a change, in its transaction, for every endpoint that the
 * organization has at that moment: what is not committed is never sent, and what
 * is committed always.
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
  const endpoints = await transaction
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('organization_id', '=', organization)
    .execute();
  if (endpoints.length === 0 || (await isSuppressed(change, userId))) return;

  const event = await transaction
    .insertInto('webhook_events')
    .values({
      organization_id: organization,
      type,
      body: JSON.stringify({ type, data }),
      created_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await transaction
    .insertInto('webhook_deliveries')
    .values(
      endpoints.map((endpoint) => ({
        organization_id: organization,
        endpoint_id: endpoint.id,
        event_id: event.id,
        status: 'pending' as const,
        due_at: at,
      })),
    )
    .execute();
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
