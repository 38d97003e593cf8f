/** Reads logins of companies and users for a change of them. */
import type { Change } from '../change.ts';
import { notFound } from '../http/http-error.ts';
import type { Login, OwnerKind } from './login.ts';

/** The company or user that a login belongs to. */
export interface LoginOwner {
  readonly kind: OwnerKind;
  readonly id: number;
}

/** Reads the login of a company or user. @throws HttpError 404 without its owner. */
export async function readLogin(change: Change, owner: LoginOwner): Promise<Login> {
  await readLoginOwner(change, owner);
  return change.transaction
    .selectFrom('logins')
    .selectAll()
    .where('owner_kind', '=', owner.kind)
    .where('owner_id', '=', owner.id)
    .executeTakeFirstOrThrow();
}

/** Reads the fields of the owner that login webhooks carry. @throws HttpError 404 */
export async function readLoginOwner({ transaction, organization }: Change, { kind, id }: LoginOwner) {
  const row = await transaction
    .selectFrom(kind === 'company' ? 'companies' : 'users')
    .select(['id', 'tax_id', 'external_uid'])
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (row === undefined) throw notFound(kind === 'company' ? 'Company' : 'User', id);
  return row;
}
