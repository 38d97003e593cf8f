/** Completes requests to the SNE. */
import type { Change } from '../change.ts';
import { changeCompany } from '../companies/change-company.ts';
import { companies } from '../companies/company.ts';
import { checkTransition } from '../http/check-transition.ts';
import type { OwnerKind } from '../login/login.ts';
import { changeUser } from '../users/change-user.ts';
import type { SneStatus } from './sne.ts';

/** Allowed results of a sign-up and of a cancellation. The specification lists no transitions. */
const results: Readonly<Partial<Record<SneStatus, readonly SneStatus[]>>> = {
  pending: ['active', 'inactive', 'unavailable'],
  canceling: ['inactive', 'active'],
};

/**
 * Completes a sign-up or a cancellation with the result of the SNE, and emits
 * `company.sne.updated` for a company.
 *
 * @throws HttpError 404 without the owner, 409 when no request is open or the result does not fit it.
 */
export async function completeSneRequest(
  change: Change,
  kind: OwnerKind,
  ownerId: number,
  status: SneStatus,
): Promise<void> {
  const { transaction, organization, at } = change;
  if (kind === 'company') await companies.read(transaction, organization, ownerId);
  else await changeUser(change, ownerId, {});
  const { status: from } = await transaction
    .selectFrom('sne_registrations')
    .select('status')
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow();
  checkTransition('An SNE registration', { from, to: status }, results);
  await transaction
    .updateTable('sne_registrations')
    .set({ status, synced_at: at })
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', ownerId)
    .execute();
  if (kind === 'company') await changeCompany(change, ownerId, {}, 'company.sne.updated');
}
