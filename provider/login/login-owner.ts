import type { Change } from '../change.ts';
import { notFound } from '../http/refusal.ts';
import type { OwnerKind } from './login-tables.ts';

/** Whose login it is. */
export interface LoginOwner {
  readonly kind: OwnerKind;
  readonly id: number;
}

/** What login events say of the owner; of a user the CPF is left out. */
export async function describeOwner({ transaction, organization }: Change, { kind, id }: LoginOwner) {
  const row = await transaction
    .selectFrom(kind === 'company' ? 'companies' : 'users')
    .select(['id', 'tax_id', 'external_uid'])
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (row === undefined) throw notFound(kind === 'company' ? 'Company' : 'User', id);
  return row;
}
