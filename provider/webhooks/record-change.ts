import type { DataOf, EventKind } from '../../src/contract/catalogue.ts';
import type { Change } from '../change.ts';
import { laneHash } from './lane-hash.ts';

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
  const { organization, at } = change;
  if (!change.isTold || (await isSuppressed(change, userId))) return;
  const body = JSON.stringify({ type, data });
  const isWritten = change.writeWebhook({ organization, type, body, laneHash: laneHash(type, data.id), at });
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
