/** Carries the newest entries of the audit over a restore. */
import type { Database } from 'better-sqlite3';
import { openForReading } from '../file/open-database.ts';
import { hasDatabaseHeader } from './replaced-database.ts';

/**
 * Continues the audit of a copy with the entries that the database it replaces has written since. Otherwise a
 * restore would remove the traces of whoever acted before it.
 *
 * @returns the entries taken over; null when the replaced database has an audit that does not continue the copy's
 */
export function takeOverAudit(copy: Database, replaced: string): number | null {
  if (!hasDatabaseHeader(replaced)) return 0;
  let database: Database | undefined;
  try {
    database = openForReading(replaced);
    const entries = database.prepare<[], number>('select count(*) from audit').pluck().get() ?? 0;
    if (entries === 0) return 0;
    const last = copy.prepare<[], Mark>('select id, hash from audit order by id desc limit 1').get();
    const from = last ?? copy.prepare<[], Mark>('select through as id, hash from audit_start').get();
    if (from === undefined || !continues(database, from)) return null;
    const rows = database.prepare<[number], Row>('select * from audit where id > ? order by id');
    return append(copy, database, rows.all(from.id));
  } catch {
    // It may be replaced because it is damaged: the file that is put aside keeps its audit.
    return null;
  } finally {
    database?.close();
  }
}

interface Mark {
  readonly id: number;
  readonly hash: Uint8Array;
}

type Row = Readonly<Record<string, string | number | bigint | Uint8Array | null>>;

/** Whether the last entry of the copy stands in the replaced database, or right before its first. */
function continues(replaced: Database, { id, hash }: Mark): boolean {
  const found =
    replaced.prepare<[number], Uint8Array>('select hash from audit where id = ?').pluck().get(id) ??
    replaced.prepare<[number], Uint8Array>('select hash from audit_start where through = ?').pluck().get(id);
  return found !== undefined && Buffer.compare(found, hash) === 0;
}

function append(copy: Database, replaced: Database, rows: readonly Row[]): number {
  const columns = replaced
    .prepare('select * from audit')
    .columns()
    .map(({ name }) => name);
  const insert = copy.prepare(
    `insert into audit (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  );
  const all = copy.transaction(() => {
    for (const row of rows) insert.run(...columns.map((name) => row[name]));
  });
  all.immediate();
  return rows.length;
}
