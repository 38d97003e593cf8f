import type { Change } from '../change.ts';
import { changeCompany } from '../companies/change-company.ts';
import { readCompany } from '../companies/read-company.ts';
import { refuseMove } from '../http/refuse-move.ts';
import type { OwnerKind } from '../login/login-tables.ts';
import { changeUser } from '../users/change-user.ts';
import type { SneStatus } from './sne-tables.ts';

/** What the system may answer to a sign-up, and to a cancellation (the specification leaves the moves open). */
const answers: Readonly<Partial<Record<SneStatus, readonly SneStatus[]>>> = {
  pending: ['active', 'inactive', 'unavailable'],
  canceling: ['inactive', 'active'],
};

/**
 * The electronic notification system has answered; of a company
 * `company.sne.updated` is told.
 *
 * @throws Refusal 404, 409 when that is no answer to what was asked, or nothing was.
 */
export async function completeSneRequest(
  change: Change,
  kind: OwnerKind,
  ownerId: number,
  status: SneStatus,
): Promise<void> {
  const { transaction, organization, at } = change;
  if (kind === 'company') await readCompany(transaction, organization, ownerId);
  else await changeUser(change, ownerId, {});
  const { status: from } = await transaction
    .selectFrom('sne_registrations')
    .select('status')
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow();
  refuseMove('An SNE registration', { from, to: status }, answers);
  await transaction
    .updateTable('sne_registrations')
    .set({ status, synced_at: at })
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', ownerId)
    .execute();
  if (kind === 'company') await changeCompany(change, ownerId, {}, 'company.sne.updated');
}
