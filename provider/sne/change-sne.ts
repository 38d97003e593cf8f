/** Changes SNE registrations. */
import type { Change } from '../change.ts';
import { HttpError } from '../http/http-error.ts';
import type { OwnerKind } from '../login/login.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import type { SneStatus } from './sne.ts';

/** Adds the SNE registration of a new company or user, with status `unknown`. */
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

/**
 * Signs a company or user up to the SNE, the electronic notification system. The
 * registration is `pending` until the SNE responds (specification, States and
 * transitions).
 *
 * @throws HttpError 409 when the registration is active or pending, 422 without a successful login.
 */
export async function signUpForSne(
  change: Change,
  kind: OwnerKind,
  ownerId: number,
): Promise<{ status: SneStatus; sign_up_date: string }> {
  const { status, login } = await readStatuses(change, kind, ownerId);
  if (status === 'active' || status === 'pending') throw new HttpError(409, `The SNE is ${status} already`);
  if (login !== 'success')
    throw new HttpError(422, 'Signing up to the SNE requires a login with status success');
  const next = { status: 'pending' as const, sign_up_date: change.today };
  await update(change, kind, ownerId, { ...next, cancel_date: null });
  await scheduleStep(change, `${kind}-sne`, ownerId, 'SNE answers');
  return next;
}

/**
 * Cancels an SNE registration. It is `canceling` until the SNE responds.
 *
 * @throws HttpError 422 when the registration is not active, or without a successful login.
 */
export async function cancelSne(
  change: Change,
  kind: OwnerKind,
  ownerId: number,
): Promise<{ status: SneStatus; cancel_date: string }> {
  const { status, login } = await readStatuses(change, kind, ownerId);
  if (status !== 'active') throw new HttpError(422, 'The SNE is not active');
  if (login !== 'success') throw new HttpError(422, 'Canceling the SNE requires a login with status success');
  const next = { status: 'canceling' as const, cancel_date: change.today };
  await update(change, kind, ownerId, next);
  await scheduleStep(change, `${kind}-sne`, ownerId, 'SNE answers');
  return next;
}

function readStatuses({ transaction }: Change, kind: OwnerKind, ownerId: number) {
  return transaction
    .selectFrom('sne_registrations')
    .innerJoin('logins', (join) =>
      join
        .onRef('logins.owner_kind', '=', 'sne_registrations.owner_kind')
        .onRef('logins.owner_id', '=', 'sne_registrations.owner_id'),
    )
    .select(['sne_registrations.status as status', 'logins.status as login'])
    .where('sne_registrations.owner_kind', '=', kind)
    .where('sne_registrations.owner_id', '=', ownerId)
    .executeTakeFirstOrThrow();
}

async function update(
  { transaction }: Change,
  kind: OwnerKind,
  ownerId: number,
  values: { status: SneStatus; sign_up_date?: string; cancel_date: string | null },
): Promise<void> {
  await transaction
    .updateTable('sne_registrations')
    .set(values)
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', ownerId)
    .execute();
}
