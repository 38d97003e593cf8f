/** Which migrations a database has had, and whether this version may use it. */
import { sql } from 'kysely';
import { PortariaError } from '../../../../kernel/errors.ts';
import { olderStore } from '../../../shared/error-meaning.ts';
import type { Session } from '../../sql/session.ts';
import { FIRST_LEVEL } from './migrations.ts';

/** The changes that a database has had. */
export interface SchemaLevel {
  /** 0 without tables. */
  readonly level: number;
  /** The level of the oldest version that may use the tables. */
  readonly worksWith: number;
}

/** Many programs have a table `migrations`, so ours is known by its columns and by the table of the store. */
export async function readSchemaLevel(session: Session): Promise<SchemaLevel> {
  const found = await session.first(sql<{ columns: number }>`
    select count(*) as columns from pg_attribute
    where (attrelid = to_regclass('migrations') and attname in ('level', 'works_with'))
      or (attrelid = to_regclass('store') and attname = 'installation')`);
  if (Number(found?.columns) < 3) return { level: 0, worksWith: 0 };
  const row = await session.first(
    sql<SchemaLevel>`select max(level)::integer as level, max(works_with)::integer as "worksWith" from migrations`,
  );
  return { level: row?.level ?? 0, worksWith: row?.worksWith ?? 0 };
}

/**
 * @param known the newest level of this version
 * @throws PortariaError `store-newer` when this version may not use the tables any more, `store-unsupported` for tables of
 *   a version before 1.0
 */
export function requireKnownLevel({ level, worksWith }: SchemaLevel, known: number): void {
  if (level > 0 && level < FIRST_LEVEL) throw olderStore('the database');
  if (worksWith <= known) return;
  throw new PortariaError(
    'store-newer',
    `the tables have level ${String(level)}, which works with versions from level ${String(worksWith)} on, and ` +
      `this version of Portaria has level ${String(known)}: install a newer version`,
  );
}
