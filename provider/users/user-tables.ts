/** The tables of users, and their migration. */
import type { Generated } from 'kysely';
import type { linkStatuses } from '../../src/contract/record/user.ts';
import type { Migration } from '../database/migration.ts';

export type LinkStatus = (typeof linkStatuses)[number];

/** The tables of individual users and their driver licences. */
export interface UserTables {
  users: {
    id: Generated<number>;
    organization_id: number;
    tax_id: string;
    name: string;
    email: string | null;
    phone: string | null;
    external_uid: string | null;
    status: LinkStatus;
    created_at: string;
    updated_at: string;
  };
  user_driver_licenses: {
    id: Generated<number>;
    organization_id: number;
    user_id: number;
    /** The record without `id`, `user` and `created_at`, as JSON: no query filters by its fields. */
    record: string;
    created_at: string;
  };
}

/** Creates {@link UserTables}. */
export const addUsers: Migration = {
  name: 'individual users and their driver licenses',
  sql: `
    create table users (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      tax_id text not null,
      name text not null,
      email text,
      phone text,
      external_uid text,
      status text not null check (status in ('active', 'inactive', 'pending')),
      created_at text not null,
      updated_at text not null,
      unique (organization_id, tax_id)
    );
    create index users_by_external_uid on users (organization_id, external_uid);
    create table user_driver_licenses (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      user_id integer not null unique references users (id) on delete cascade,
      record text not null,
      created_at text not null
    );
  `,
};
