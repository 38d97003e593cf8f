/** The tables of organizations, and their migrations. */
import type { Generated } from 'kysely';
import type { Migration } from '../database/migration.ts';

/** Organizations and their API keys. Every other record belongs to an organization. */
export interface OrganizationTables {
  organizations: { id: Generated<number>; name: string; created_at: string };
  api_keys: {
    hash: Uint8Array;
    organization_id: number;
    /** The first characters of the key, by which an operator recognizes it; null for keys of earlier versions. */
    prefix: string | null;
    created_at: string;
  };
}

export const addOrganizations: Migration = {
  name: 'organizations and their keys',
  sql: `
    create table organizations (
      id integer primary key autoincrement,
      name text not null unique,
      created_at text not null
    );
    create table api_keys (
      hash blob primary key,
      organization_id integer not null references organizations (id),
      created_at text not null
    ) without rowid;
  `,
};

export const addKeyPrefixes: Migration = {
  name: 'prefixes of keys',
  sql: 'alter table api_keys add column prefix text;',
};
