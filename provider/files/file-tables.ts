import type { Migration } from '../database/migration.ts';

export interface FileTables {
  file_keys: {
    organization_id: number;
    /** What the addresses of the organization's files are signed with. */
    secret: string;
  };
}

export const addFileKeys: Migration = {
  name: 'keys that addresses of files are signed with',
  sql: `
    create table file_keys (
      organization_id integer primary key references organizations (id),
      secret text not null
    );
  `,
};
