/** Records what the last looks at the provider have found, by family. */
import { sql } from 'kysely';
import type { RecordedLook } from '../../monitoring.ts';
import type { Dialect } from '../sql/dialect.ts';
import { run, type SqlReads, type Write } from '../sql/statements.ts';
import type { DatabaseSchema } from '../tables.ts';

/** The differences of a family that are kept. */
const KEPT_DIFFERENCES = 100;

/** Replaces the last look. Erased subjects are left out: their ids are not kept again. */
export function* replaceLook(dialect: Pick<Dialect, 'tableOf'>, look: RecordedLook): Write<void> {
  const { source, family, at, wholeAt, equal } = look;
  yield* run(sql`
    insert into looks (source, family, at, whole_at, equal, differing)
    values (${source}, ${family}, ${at}, ${wholeAt}, ${equal}, ${JSON.stringify(look.differing)})
    on conflict (source, family) do update set
      at = excluded.at, whole_at = excluded.whole_at, equal = excluded.equal, differing = excluded.differing`);
  yield* run(sql`delete from look_differences where source = ${source} and family = ${family}`);
  yield* run(sql`
    insert into look_differences (source, family, entity, outcome, fields, since, quarantined)
    select ${source}, ${family}, entity, outcome, fields, since, quarantined
    from ${dialect.tableOf('found', look.differences.slice(0, KEPT_DIFFERENCES), {
      entity: ['text', ({ id }) => id],
      outcome: ['text', ({ outcome }) => outcome],
      fields: ['text', ({ fields }) => JSON.stringify(fields)],
      since: ['bigint', ({ since }) => since],
      quarantined: ['text', ({ quarantined }) => quarantined],
    })}
    where not exists (
      select 1 from subjects where subjects.source = ${source} and subjects.family = ${family}
        and subjects.entity = found.entity and subjects.erased > 0)`);
}

export function* pruneLooks(before: number): Write<void> {
  yield* run(sql`
    delete from look_differences where exists (
      select 1 from looks where looks.source = look_differences.source
        and looks.family = look_differences.family and looks.at < ${before})`);
  yield* run(sql`delete from looks where at < ${before}`);
}

/** Removes what looks have found of subjects that are erased, by their row numbers. */
export function* forgetDifferences(
  dialect: Pick<Dialect, 'isAnyOf'>,
  subjects: readonly number[],
): Write<void> {
  yield* run(sql`
    delete from look_differences where exists (
      select 1 from subjects where ${dialect.isAnyOf('subjects.id', subjects, 'bigint')}
        and subjects.source = look_differences.source and subjects.family = look_differences.family
        and subjects.entity = look_differences.entity)`);
}

export async function readLooks(read: SqlReads): Promise<readonly RecordedLook[]> {
  const looks = await read.rows(sql<DatabaseSchema['looks']>`select * from looks order by source, family`);
  if (looks.length === 0) return [];
  const found = await read.rows(
    sql<DatabaseSchema['look_differences']>`select * from look_differences order by entity`,
  );
  return looks.map(({ source, family, at, whole_at: wholeAt, equal, differing }) => ({
    ...{ source, family, at, wholeAt, equal },
    differing: JSON.parse(differing) as RecordedLook['differing'],
    differences: found
      .filter((one) => one.source === source && one.family === family)
      .map(({ entity: id, outcome, fields, since, quarantined }) => ({
        ...{ id, outcome, since, quarantined },
        fields: JSON.parse(fields) as readonly string[],
      })),
  }));
}
