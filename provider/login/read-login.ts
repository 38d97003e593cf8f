/** Reads logins of companies and users. */
import type { Selectable } from 'kysely';
import type { Change } from '../change.ts';
import { notFound } from '../http/http-error.ts';
import type { LoginTables, OwnerKind } from './login-tables.ts';

/** A login with the government portal. */
export type Login = Selectable<LoginTables['logins']>;

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

/** The columns of a login in a row joined with `logins`. */
export interface LoginColumns {
  readonly login_id: number;
  readonly login_type: string;
  readonly login_status: Login['status'];
  readonly login_connected: number;
  readonly login_connected_at: string | null;
  readonly login_disconnected_at: string | null;
  readonly login_step: Login['step'];
}

/** Selects {@link LoginColumns}. */
export const loginColumns = [
  'logins.id as login_id',
  'logins.type as login_type',
  'logins.status as login_status',
  'logins.connected as login_connected',
  'logins.connected_at as login_connected_at',
  'logins.disconnected_at as login_disconnected_at',
  'logins.step as login_step',
] as const;

/** Converts the columns to the login block of a company or user (specification, Resources, login block). */
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
