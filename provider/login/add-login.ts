import type { Change } from '../change.ts';
import type { OwnerKind } from './login-tables.ts';

/** What a connection signs in with at first (specification, Resources, login blocks). */
const firstType = { company: 'username', user: 'password' } as const;

/** Gives a new company or user its login: not connected, nothing tried yet. */
export async function addLogin(change: Change, kind: OwnerKind, ownerId: number): Promise<void> {
  await change.transaction
    .insertInto('logins')
    .values({
      organization_id: change.organization,
      owner_kind: kind,
      owner_id: ownerId,
      // Nobody but the provider makes these, so the owner makes them unique.
      uid: `lg_${kind}_${String(ownerId)}`,
      type: firstType[kind],
      status: 'incomplete',
      connected: 0,
      connected_at: null,
      disconnected_at: null,
      step: 'credentials',
      attempt: 1,
    })
    .execute();
}
