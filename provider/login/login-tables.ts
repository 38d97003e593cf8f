/** The tables of logins. */
import type { Generated } from 'kysely';
import type { z } from 'zod';
import type { loginStatus, loginStep } from '../../src/contract/record/login.ts';
import type { Migration } from '../database/migration.ts';

/** The owner of a login and an SNE registration. A company and a user may have the same id. */
export type OwnerKind = 'company' | 'user';

/** The table of logins with the government portal: one for each company and user. */
export interface LoginTables {
  logins: {
    id: Generated<number>;
    organization_id: number;
    owner_kind: OwnerKind;
    owner_id: number;
    /** Identifier that login webhooks carry. */
    uid: string;
    type: string;
    status: z.infer<typeof loginStatus>;
    connected: number;
    connected_at: string | null;
    disconnected_at: string | null;
    step: z.infer<typeof loginStep> | null;
    /** Number of the attempt within the step, from 1. */
    attempt: number;
  };
}

/** Creates {@link LoginTables}. */
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
