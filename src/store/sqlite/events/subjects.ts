/** Finds, inserts and updates subjects while events are accepted. */
import type { Kysely } from 'kysely';
import { subjectName, type Subject } from '../../../event/subject.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { newestUnrepeated } from '../../shared/events/fill-reconciled.ts';
import type { DatabaseSchema } from '../../shared/tables.ts';
import type { SubjectRow } from '../../shared/events/verdict.ts';
import { canBeIdentifier } from '../../erased-content.ts';
import type { Keyed } from '../privacy/keyed-digest.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare, type Named } from '../sql/statement.ts';

/** The row number of a subject, as a part of a query. */
export function subjectRow(query: Kysely<DatabaseSchema>, source: string, subject: Subject) {
  return query
    .selectFrom('subjects')
    .select('id')
    .where('family', '=', subject.family)
    .where('entity', '=', subject.id)
    .where('source', '=', source);
}

/** Reads and writes `subjects`, which has a row for each entity of each source. Called inside a transaction. */
export interface SubjectRows {
  find(source: string, subject: Subject, formerId: string | null): SubjectRow | undefined;
  /** Returns the row number. @throws PortariaError `not-found` */
  require(source: string, subject: Subject): number;
  /**
   * Inserts a subject whose latest event is the next one to be stored: one write
   * instead of two. Returns the row number.
   */
  insertForNextEvent(source: string, subject: Subject, version: string | null): number;
  /** Makes an event the subject's latest. `latest_version` never decreases. */
  setLatest(id: number, event: number, version: string | null): void;
  /** Notes an event as the subject's newest reconciled one. */
  setReconciled(id: number, event: number): void;
  /** Notes that a webhook has repeated a reconciled event: the newest other one that none has repeated takes its place. */
  setRepeated(id: number, event: number): void;
}

type Key = { source: string; family: string; entity: string };

/** Finds the row of a subject: by its own name alone, or also by its former one or the one that an erasure gave it. */
export function createFindSubject({ database, query }: Connection, keyed: Keyed) {
  const find = prepare(database, (p: Named<Key>) =>
    query
      .selectFrom('subjects')
      .select(['id', 'latest_event', 'latest_version', 'erased', 'reconciled'])
      .where('family', '=', p.family)
      .where('entity', '=', p.entity)
      .where('source', '=', p.source),
  );
  const findNamed = (source: string, { family, id }: Subject): SubjectRow | undefined =>
    find.get({ source, family, entity: id });
  /** A subject whose id was erased has a keyed one. */
  function findRenamed(source: string, { family, id }: Subject, formerId: string | null) {
    if (formerId !== null) return find.get({ source, family, entity: formerId });
    if (!canBeIdentifier(id) || !keyed.isInUse()) return undefined;
    return find.get({ source, family, entity: keyed.entity(id) });
  }

  return {
    findNamed,
    find: (source: string, subject: Subject, formerId: string | null): SubjectRow | undefined =>
      findNamed(source, subject) ?? findRenamed(source, subject, formerId),
  };
}

export function createSubjectRows(connection: Connection, keyed: Keyed): SubjectRows {
  const { database, query } = connection;
  const insert = prepare(database, (p: Named<Key & { version: string | null }>) =>
    query.insertInto('subjects').values((eb) => ({
      source: p.source,
      family: p.family,
      entity: p.entity,
      // SQLite numbers the next row like this.
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

  const setReconciled = prepare(database, (p: Named<{ id: number; event: number }>) =>
    query.updateTable('subjects').set({ reconciled: p.event }).where('id', '=', p.id),
  );
  const setRepeated = prepare(database, (p: Named<{ id: number; event: number }>) =>
    query
      .updateTable('subjects')
      .set({ reconciled: newestUnrepeated(p.id, p.event) })
      .where('id', '=', p.id),
  );

  const { findNamed, find } = createFindSubject(connection, keyed);

  return {
    find,
    require(source, subject) {
      const row = findNamed(source, subject);
      if (row !== undefined) return row.id;
      throw new PortariaError('not-found', `there is no subject ${subjectName(subject)} of source ${source}`);
    },
    insertForNextEvent: (source, subject, version) =>
      Number(insert.run({ source, family: subject.family, entity: subject.id, version }).lastInsertRowid),
    setReconciled: (id, event) => void setReconciled.run({ id, event }),
    setRepeated: (id, event) => void setRepeated.run({ id, event }),
    setLatest: (id, event, version) => void setLatest.run({ id, event, version }),
  };
}
