import { subjectName, type Subject } from '../../../event/subject.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare, type Named } from '../sql/statement.ts';

export interface SubjectRow {
  readonly id: number;
  readonly latest_event: number | null;
  readonly latest_version: string | null;
}

/** Rows of `subjects`: one for each entity of each source. */
export interface SubjectRows {
  find(source: string, subject: Subject): SubjectRow | undefined;
  /** @throws PortariaError `not-found` */
  demand(source: string, subject: Subject): number;
  /**
   * Makes a subject for an event that is stored next, which becomes its latest:
   * one write instead of two. Returns the subject's number.
   */
  insertForNextEvent(source: string, subject: Subject, version: string | null): number;
  /** Makes an event the subject's latest; its version counts only when higher than what is known. */
  setLatest(id: number, event: number, version: string | null): void;
}

export function createSubjectRows({ database, query }: Connection): SubjectRows {
  type Key = { source: string; family: string; entity: string };
  const find = prepare(database, (p: Named<Key>) =>
    query
      .selectFrom('subjects')
      .select(['id', 'latest_event', 'latest_version'])
      .where('family', '=', p.family)
      .where('entity', '=', p.entity)
      .where('source', '=', p.source),
  );
  const insert = prepare(database, (p: Named<Key & { version: string | null }>) =>
    query.insertInto('subjects').values((eb) => ({
      source: p.source,
      family: p.family,
      entity: p.entity,
      // As SQLite numbers rows.
      latest_event: eb(
        eb.selectFrom('events').select(({ fn }) => fn.coalesce(fn.max('id'), eb.lit(0)).as('last')),
        '+',
        eb.lit(1),
      ),
      latest_version: p.version,
    })),
  );
  const setLatest = prepare(database, (p: Named<{ id: number; event: number; version: string | null }>) =>
    query
      .updateTable('subjects')
      .set((eb) => ({
        latest_event: p.event,
        latest_version: eb
          .case()
          .when('latest_version', 'is', null)
          .then(p.version)
          .when('latest_version', '<', p.version)
          .then(p.version)
          .else(eb.ref('latest_version'))
          .end(),
      }))
      .where('id', '=', p.id),
  );

  const key = (source: string, subject: Subject): Key => ({
    source,
    family: subject.family,
    entity: subject.id,
  });
  return {
    find: (source, subject) => find.get(key(source, subject)),
    demand(source, subject) {
      const row = find.get(key(source, subject));
      if (row !== undefined) return row.id;
      throw new PortariaError('not-found', `there is no subject ${subjectName(subject)} of source ${source}`);
    },
    insertForNextEvent: (source, subject, version) =>
      Number(insert.run({ source, family: subject.family, entity: subject.id, version }).lastInsertRowid),
    setLatest: (id, event, version) => void setLatest.run({ id, event, version }),
  };
}
