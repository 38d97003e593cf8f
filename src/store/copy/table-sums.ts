/** The sums of tables of counts, which both stores keep in rows of their own. */
import { MAX_COUNTED_KIND, OTHER_KINDS } from '../shared/statistics/counted-kinds.ts';
import type { CopiedTable } from './copied-tables.ts';
import { valuesOf, type Row, type Value } from './copy-side.ts';

/** How the rows of a table of counts add up, where it is no sum. */
const aggregates: Readonly<Record<string, 'min' | 'max'>> = {
  recognized: 'max',
  first_received_at: 'min',
  last_received_at: 'max',
};

/** The query for the sums of a table of counts, in both stores. */
export function sumsQuery({ name, key, columns, sums = [] }: CopiedTable): string {
  const chosen = Object.keys(columns).map((column) => {
    if (!sums.includes(column)) return `"${column}"`;
    return `${aggregates[column] ?? 'sum'}("${column}")`;
  });
  return `select ${chosen.join(', ')} from "${name}" group by ${key.map((column) => `"${column}"`).join(', ')}`;
}

/**
 * Returns the sums as both stores can hold them: with a row for the anomalies, without the count of subjects, which
 * SQLite does not keep, and with long kinds counted together, if one of the stores is PostgreSQL.
 */
export function commonSums(
  table: CopiedTable,
  rows: readonly Row[],
  { withPostgres }: { readonly withPostgres: boolean },
): readonly Row[] {
  if (table.name === 'row_counts') {
    const kept = rows.filter((row) => row[0] === 'anomalies');
    return kept.length === 0 ? [['anomalies', 0n]] : kept;
  }
  if (!withPostgres || !('kind' in table.columns)) return rows;
  const names = Object.keys(table.columns);
  const [kind, recognized] = [names.indexOf('kind'), names.indexOf('recognized')];
  const merged = new Map<string, Row>();
  for (const row of rows) {
    const isLong = row[recognized] === 0n && String(row[kind]).length > MAX_COUNTED_KIND;
    const counted = isLong ? row.with(kind, OTHER_KINDS) : row;
    const key = JSON.stringify(valuesOf(table, counted, table.key).map(String));
    const known = merged.get(key);
    merged.set(key, known === undefined ? counted : addedUp(table, known, counted));
  }
  return [...merged.values()];
}

function addedUp(table: CopiedTable, one: Row, other: Row): Row {
  return Object.keys(table.columns).map((column, index) => {
    const [left, right] = [one[index] ?? null, other[index] ?? null];
    return table.sums?.includes(column) === true ? combined(column, left, right) : left;
  });
}

function combined(column: string, left: Value, right: Value): Value {
  if (typeof left !== 'bigint' || typeof right !== 'bigint') return left ?? right;
  const aggregate = aggregates[column];
  if (aggregate === undefined) return left + right;
  return (aggregate === 'max') === left > right ? left : right;
}

/** Sums up the bytes of held entries anew: the two stores count an entry's bytes differently. */
export const sumOfHeldBytes = `
update quarantine_counts set bytes = (
  select coalesce(sum(bytes), 0) from quarantine
  where status = 'held' and verified = quarantine_counts.verified and reason = quarantine_counts.reason
)`;
