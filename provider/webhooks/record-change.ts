/** Emits the webhooks of changes. */
import type { DataOf, EventKind } from '../../src/contract/catalogue.ts';
import type { Change } from '../change.ts';

/**
 * Records the webhook of a change in the transaction of the change, for every
 * endpoint that the organization has at that moment. A webhook is sent if and only
 * if its change is committed.
 *
 * @param userId the individual user whose record it is. While the link to the user
 *   is inactive, no webhook is sent (specification, Webhook envelope).
 */
export async function recordChange<Kind extends EventKind>(
  change: Change,
  type: Kind,
  data: DataOf<Kind>,
  userId: number | null = null,
): Promise<void> {
  const { organization, at } = change;
  if (!change.emitsWebhooks || (await isSuppressed(change, userId))) return;
  const body = JSON.stringify({ type, data });
  const isWritten = change.writeWebhook({ organization, type, recordId: data.id, body, at });
  if (isWritten) change.touched.add('webhooks');
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
