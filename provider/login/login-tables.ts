import type { Generated } from 'kysely';
import type { z } from 'zod';
import type { loginStatus, loginStep } from '../../src/contract/record/login-sets.ts';
import type { Migration } from '../database/migration.ts';

/** Companies and users have one login and one SNE registration each; their ids may collide. */
export type OwnerKind = 'company' | 'user';

export interface LoginTables {
  logins: {
    id: Generated<number>;
    organization_id: number;
    owner_kind: OwnerKind;
    owner_id: number;
    /** The login identifier of login events. */
    uid: string;
    type: string;
    status: z.infer<typeof loginStatus>;
    connected: number;
    connected_at: string | null;
    disconnected_at: string | null;
    step: z.infer<typeof loginStep> | null;
    /** Tries within the step, from 1. */
    attempt: number;
  };
}

export const addLogins: Migration = {
  name: 'logins of companies and users',
  sql: `
    create table logins (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      owner_kind text not null check (owner_kind in ('company', 'user')),
      owner_id integer not null,
      uid text not null unique,
      type text not null,
      status text not null,
      connected integer not null,
      connected_at text,
      disconnected_at text,
      step text,
      attempt integer not null,
      unique (owner_kind, owner_id)
    );
  `,
};
