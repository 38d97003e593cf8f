import type { Selectable } from 'kysely';
import type { LoginTables, OwnerKind } from './login-tables.ts';
import type { Change } from '../change.ts';
import { notFound } from '../http/refusal.ts';

/** The columns of a login, as a joined row has them. */
export interface LoginColumns {
  readonly login_id: number;
  readonly login_type: string;
  readonly login_status: Selectable<LoginTables['logins']>['status'];
  readonly login_connected: number;
  readonly login_connected_at: string | null;
  readonly login_disconnected_at: string | null;
  readonly login_step: Selectable<LoginTables['logins']>['step'];
}

/** The columns to select for it. */
export const loginColumns = [
  'logins.id as login_id',
  'logins.type as login_type',
  'logins.status as login_status',
  'logins.connected as login_connected',
  'logins.connected_at as login_connected_at',
  'logins.disconnected_at as login_disconnected_at',
  'logins.step as login_step',
] as const;

/** The login block of a company or user (specification, Resources, login block). */
export function loginBlock(row: LoginColumns) {
  return {
    id: row.login_id,
    type: row.login_type,
    status: row.login_status,
    service: 'gov_portal' as const,
    connected: row.login_connected === 1,
    connected_at: row.login_connected_at,
    disconnected_at: row.login_disconnected_at,
    step: row.login_step,
  };
}

/** Whose login it is. */
export interface LoginOwner {
  readonly kind: OwnerKind;
  readonly id: number;
}

/** What login events say of the owner; of a user the CPF is left out. */
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
