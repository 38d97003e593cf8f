/** The steps of an SNE registration in the scenario. */
import type { Change } from '../change.ts';
import type { LoginOwner } from '../login/read-login.ts';
import { completeSneRequest } from '../sne/complete-sne-request.ts';
import type { SneStatus } from '../sne/sne.ts';
import type { Draw } from './draw.ts';

/** Decides a pending request to the electronic notification system (SNE), if there is one. */
export async function stepSne(change: Change, { kind, id }: LoginOwner, draw: Draw): Promise<void> {
  const registration = await change.transaction
    .selectFrom('sne_registrations')
    .select('status')
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', id)
    .where('organization_id', '=', change.organization)
    .executeTakeFirst();
  const decision = sneDecision(registration?.status, draw);
  if (decision !== null) await completeSneRequest(change, kind, id, decision);
}

/** Null when no request is pending. */
function sneDecision(status: SneStatus | undefined, draw: Draw): SneStatus | null {
  if (status === 'canceling') return draw.happens('SNE refuses') ? 'active' : 'inactive';
  if (status !== 'pending') return null;
  if (draw.happens('SNE is unavailable')) return 'unavailable';
  return draw.happens('SNE refuses') ? 'inactive' : 'active';
}
