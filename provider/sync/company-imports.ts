/** The first imports of companies: their table, and how the stream and the snapshot show them. */
import type { z } from 'zod';
import type { importOutcome } from '../../src/contract/record/sync.ts';
import {
  integer,
  organization,
  reference,
  table,
  text,
  textOrNull,
  type TablesOf,
} from '../database/table.ts';
import { HttpError } from '../http/http-error.ts';
import { records, type RowOf } from '../list/records.ts';

export const importTable = table(
  'company_imports',
  {
    company_id: reference('companies', 'on delete cascade'),
    organization_id: organization,
    started_at: text(),
    /** Null while the import is running. */
    outcome: textOrNull<z.infer<typeof importOutcome>>(),
    vehicles_total: integer(),
    vehicles_succeeded: integer(),
    vehicles_failed: integer(),
    violations_total: integer(),
    violations_succeeded: integer(),
    violations_failed: integer(),
  },
  { constraints: ['primary key (company_id)'] },
);

/** The first import of each company, by the id of the company; there is none before its first login. */
export const companyImports = records({
  tables: [importTable],
  key: 'company_id',
  missing: (id) => new HttpError(404, `No active sync for company ${String(id)}`),
  select: (query) => query.selectFrom('company_imports').selectAll(),
  json: importSnapshot,
});

/** A row of `company_imports`. */
export type CompanyImport = RowOf<typeof companyImports>;

/** Builds the snapshot of an import (specification, Resources, Synchronization snapshot). */
export function importSnapshot(row: TablesOf<typeof importTable>['company_imports']) {
  const vehicles = counters(row.vehicles_total, row.vehicles_succeeded, row.vehicles_failed);
  const violations = counters(row.violations_total, row.violations_succeeded, row.violations_failed);
  return {
    started_at: row.started_at,
    totals: counters(
      vehicles.total + violations.total,
      vehicles.succeeded + violations.succeeded,
      vehicles.failed + violations.failed,
    ),
    domains: { vehicles, traffic_violations: violations },
  };
}

function counters(total: number, succeeded: number, failed: number) {
  const completed = succeeded + failed;
  return { total, completed, succeeded, failed, remaining: total - completed };
}
