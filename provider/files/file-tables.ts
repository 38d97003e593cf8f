/** The table of the keys that sign URLs of files, and its migration. */
import type { Migration } from '../database/migration.ts';

/** Signing keys of file URLs, one per organization. */
export interface FileTables {
  file_keys: {
    organization_id: number;
    /** HMAC key of the URLs of the organization's files. */
    secret: string;
  };
}

export const addFileKeys: Migration = {
  name: 'keys that sign the URLs of files',
  sql: `
    create table file_keys (
      organization_id integer primary key references organizations (id),
      secret text not null
    );
  `,
};
