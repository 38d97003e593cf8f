/** Reads the first imports of companies. */
import type { Kysely, Selectable } from 'kysely';
import type { ProviderTables } from '../database/provider-tables.ts';
import type { SyncTables } from './sync-tables.ts';

/** A row of `company_imports`. */
export type CompanyImport = Selectable<SyncTables['company_imports']>;

/** Reads the import of a company; undefined when it never started. */
export function readImport(
  query: Kysely<ProviderTables>,
  organization: number,
  companyId: number,
): Promise<CompanyImport | undefined> {
  return query
    .selectFrom('company_imports')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
}

/** Builds the snapshot of an import (specification, Resources, Synchronization snapshot). */
export function importSnapshot(row: CompanyImport) {
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
