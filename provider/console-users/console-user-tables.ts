/** The tables of console users, and their migration. */
import type { Generated } from 'kysely';
import type { Migration } from '../database/migration.ts';

/** The tables of console users, the companies that they see, and their tokens. */
export interface ConsoleUserTables {
  console_users: {
    /** Sequence number in order of creation, for lists. */
    number: Generated<number>;
    id: string;
    organization_id: number;
    group_id: number;
    name: string | null;
    email: string;
    /** The e-mail address in lower case, for comparison. */
    email_key: string;
    external_uid: string | null;
    created_at: string;
    updated_at: string;
  };
  company_groups: { id: Generated<number>; organization_id: number; created_at: string };
  company_group_members: {
    group_id: number;
    company_id: number;
    organization_id: number;
    /** The caller's identifier of the company in this group; null to use that of the company. */
    external_uid: string | null;
  };
  console_tokens: {
    hash: Uint8Array;
    console_user_id: string;
    organization_id: number;
    expires_at: string;
  };
}

/** Creates {@link ConsoleUserTables}. */
export const addConsoleUsers: Migration = {
  name: 'console users, the companies they see, and their tokens',
  sql: `
    create table company_groups (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      created_at text not null
    );
    create table company_group_members (
      group_id integer not null references company_groups (id) on delete cascade,
      company_id integer not null references companies (id) on delete cascade,
      organization_id integer not null references organizations (id),
      external_uid text,
      primary key (group_id, company_id)
    ) without rowid;
    create table console_users (
      number integer primary key autoincrement,
      id text not null unique,
      organization_id integer not null references organizations (id),
      group_id integer not null references company_groups (id),
      name text,
      email text not null,
      email_key text not null,
      external_uid text,
      created_at text not null,
      updated_at text not null,
      unique (organization_id, email_key)
    );
    create table console_tokens (
      hash blob primary key,
      console_user_id text not null references console_users (id) on delete cascade,
      organization_id integer not null references organizations (id),
      expires_at text not null
    ) without rowid;
  `,
};
