/** Logins of companies and users with the government portal: their table, and how records show them. */
import type { Selectable } from 'kysely';
import type { z } from 'zod';
import type { loginStatus, loginStep } from '../../src/contract/record/login.ts';
import { id, integer, organization, table, text, textOrNull, type TablesOf } from '../database/table.ts';

/** The owner of a login and an SNE registration. A company and a user may have the same id. */
export type OwnerKind = 'company' | 'user';

/** One login for each company and user. */
export const loginTable = table(
  'logins',
  {
    id,
    organization_id: organization,
    owner_kind: text<OwnerKind>(),
    owner_id: integer(),
    /** Identifier that login webhooks carry. */
    uid: text(),
    type: text(),
    status: text<z.infer<typeof loginStatus>>(),
    connected: integer(),
    connected_at: textOrNull(),
    disconnected_at: textOrNull(),
    step: textOrNull<z.infer<typeof loginStep>>(),
    /** Number of the attempt within the step, from 1. */
    attempt: integer(),
  },
  {
    constraints: [
      `check (owner_kind in ('company', 'user'))`,
      'unique (uid)',
      'unique (owner_kind, owner_id)',
    ],
  },
);

/** A login with the government portal. */
export type Login = Selectable<TablesOf<typeof loginTable>['logins']>;

/** The columns of a login in a row joined with `logins`. */
export const loginColumns = [
  'logins.id as login_id',
  'logins.type as login_type',
  'logins.status as login_status',
  'logins.connected as login_connected',
  'logins.connected_at as login_connected_at',
  'logins.disconnected_at as login_disconnected_at',
  'logins.step as login_step',
] as const;

type LoginColumns = { readonly [Name in keyof Login as `login_${Name}`]: Login[Name] };

/** Converts {@link loginColumns} to the login block of a company or user (specification, Resources, login block). */
export function loginBlock(row: Omit<LoginColumns, HiddenColumns>) {
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

type HiddenColumns = `login_${'organization_id' | 'owner_kind' | 'owner_id' | 'uid' | 'attempt'}`;
