/** The table of first imports, and its migration. */
import type { z } from 'zod';
import type { importOutcome } from '../../src/contract/record/sync.ts';
import type { Migration } from '../database/migration.ts';

/** The first import of each company. */
export interface SyncTables {
  company_imports: {
    company_id: number;
    organization_id: number;
    started_at: string;
    /** Null while the import is running. */
    outcome: z.infer<typeof importOutcome> | null;
    vehicles_total: number;
    vehicles_succeeded: number;
    vehicles_failed: number;
    violations_total: number;
    violations_succeeded: number;
    violations_failed: number;
  };
}

export const addImports: Migration = {
  name: 'first imports of companies',
  sql: `
    create table company_imports (
      company_id integer primary key references companies (id) on delete cascade,
      organization_id integer not null references organizations (id),
      started_at text not null,
      outcome text,
      vehicles_total integer not null,
      vehicles_succeeded integer not null default 0,
      vehicles_failed integer not null default 0,
      violations_total integer not null,
      violations_succeeded integer not null default 0,
      violations_failed integer not null default 0
    );
  `,
};
