import type { Change } from '../change.ts';
import { changeCompany } from '../companies/change-company.ts';
import { readCompany } from '../companies/read-company.ts';
import { Refusal } from '../http/refusal.ts';
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
export async function settleSne(
  change: Change,
  kind: OwnerKind,
  ownerId: number,
  status: SneStatus,
): Promise<void> {
  const { transaction, organization, at } = change;
  if (kind === 'company') await readCompany(transaction, organization, ownerId);
  else await changeUser(change, ownerId, {});
  const { numUpdatedRows } = await transaction
    .updateTable('sne_registrations')
    .set({ status, synced_at: at })
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', ownerId)
    .where('organization_id', '=', organization)
    .where('status', 'in', askedBefore(status))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new Refusal(409, `The SNE cannot become ${status} now`);
  if (kind === 'company') await changeCompany(change, ownerId, {}, 'company.sne.updated');
}

function askedBefore(status: SneStatus): SneStatus[] {
  return (['pending', 'canceling'] as const).filter((asked) => answers[asked]?.includes(status));
}
