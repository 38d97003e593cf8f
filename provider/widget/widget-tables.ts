/** The tables of widgets, and their migration. */
import type { Generated } from 'kysely';
import type { Migration } from '../database/migration.ts';

/** The tables of widgets, their users, and sign-ins. */
export interface WidgetTables {
  widgets: { uid: string; organization_id: number; created_at: string };
  widget_users: {
    id: Generated<number>;
    organization_id: number;
    external_uid: string;
    tax_id: string | null;
    phone: string | null;
    created_at: string;
    updated_at: string;
  };
  widget_sign_ins: {
    /** Digest of the last path segment of the sign-in address. */
    hash: Uint8Array;
    organization_id: number;
    widget_uid: string;
    widget_user_id: number;
    created_at: string;
  };
}

/** Creates {@link WidgetTables}. */
export const addWidgets: Migration = {
  name: 'widgets, their users, and sign-ins that were not taken up yet',
  sql: `
    create table widgets (
      uid text primary key,
      organization_id integer not null references organizations (id),
      created_at text not null
    ) without rowid;
    create table widget_users (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      external_uid text not null,
      tax_id text,
      phone text,
      created_at text not null,
      updated_at text not null,
      unique (organization_id, external_uid)
    );
    create table widget_sign_ins (
      hash blob primary key,
      organization_id integer not null references organizations (id),
      widget_uid text not null references widgets (uid),
      widget_user_id integer not null references widget_users (id) on delete cascade,
      created_at text not null
    ) without rowid;
  `,
};
