/** Reads and writes the rows of a copy in SQLite. */
import type { Database, Statement } from 'better-sqlite3';
import { copiedTables, type CopiedTable } from '../copied-tables.ts';
import { PAGE_BYTES, PAGE_ROWS, quoted, type CopyReads, type Key, type Row } from '../copy-side.ts';
import { sumsQuery } from '../table-sums.ts';

/** Reads the rows of a store in SQLite for a copy. */
export function createSqliteReads(database: Database): CopyReads {
  const prepared = new Map<string, Statement>();

  /** Returns a statement whose rows are arrays with exact integers. */
  function statement(sql: string): Statement {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const made = database.prepare(sql).raw().safeIntegers();
    prepared.set(sql, made);
    return made;
  }

  function page(table: CopiedTable, after: Key | null): readonly Row[] {
    const names = Object.keys(table.columns);
    const key = quoted(table.key);
    const from = after === null ? '' : `where (${key}) > (${table.key.map(() => '?').join(', ')})`;
    const query = statement(
      `select ${quoted(names)} from "${table.name}" ${from} order by ${key} limit ${String(PAGE_ROWS)}`,
    );
    const long = (table.long ?? []).map((column) => names.indexOf(column));
    const rows: Row[] = [];
    let bytes = 0;
    for (const row of query.iterate(...(after ?? [])) as Iterable<Row>) {
      for (const index of long) bytes += lengthOf(row[index]);
      if (rows.length > 0 && bytes > PAGE_BYTES) break;
      rows.push(row);
    }
    return rows;
  }

  function one(sql: string): bigint {
    const row = statement(sql).get() as readonly [bigint | null] | undefined;
    return row?.[0] ?? 0n;
  }

  return {
    count: async (table) => Number(one(`select count(*) from "${table.name}"`)),
    page: async (table, after) => page(table, after),
    sums: async (table) => statement(sumsQuery(table)).all() as Row[],
    async lastNumbers() {
      const numbered = copiedTables.filter((table) => table.numbered !== undefined);
      return new Map(
        numbered.map((table) => [
          table.name,
          one(
            table.numbered === 'used'
              ? `select seq from sqlite_sequence where name = '${table.name}'`
              : `select max(id) from "${table.name}"`,
          ),
        ]),
      );
    },
  };
}

/** Writes rows in the transaction of the caller. */
export function insertIntoSqlite(database: Database, table: CopiedTable, rows: readonly Row[]): void {
  const names = Object.keys(table.columns);
  const insert = database.prepare(
    `insert into "${table.name}" (${quoted(names)}) values (${names.map(() => '?').join(', ')})`,
  );
  for (const row of rows) insert.run(...row);
}

function lengthOf(value: Row[number] | undefined): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
}
