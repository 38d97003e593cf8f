import type { Change } from '../change.ts';
import type { OwnerKind } from '../login/login-tables.ts';

/** Gives a new company or user its registration, of which nothing is known yet. */
export async function addSneRegistration(change: Change, kind: OwnerKind, ownerId: number): Promise<void> {
  await change.transaction
    .insertInto('sne_registrations')
    .values({
      owner_kind: kind,
      owner_id: ownerId,
      organization_id: change.organization,
      status: 'unknown',
      sign_up_date: null,
      cancel_date: null,
      synced_at: null,
    })
    .execute();
}
