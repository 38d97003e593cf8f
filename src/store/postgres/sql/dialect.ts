/** The words of PostgreSQL. */
import { sql } from 'kysely';
import type { DeliveryStatus } from '../../queries.ts';
import { unfinishedOfEvent } from '../../shared/deliveries/delivery-conditions.ts';
import {
  allOf,
  type Condition,
  type DeliverySearch,
  type Dialect,
  type SoughtDelivery,
} from '../../shared/sql/dialect.ts';
import { run } from '../../shared/sql/statements.ts';
import { FAILURE_GROUPS } from '../failures/failure-changes.ts';
import { prunedAt } from '../retention/pruned-at.ts';
import { KEEP_CONTENTS, REMOVE_CONTENTS } from './advisory-locks.ts';
import { arrayOf, isAnyOf, sequenceOf, unnestOf } from './expressions.ts';

export const postgresDialect: Dialect = {
  isAnyOf,
  isFoundBy: (expression, query) => sql`${sql.raw(expression)} = any(array(${query}))`,
  tableOf: unnestOf,
  hasKind,
  hasStatus,
  hasDelivery,
  isPruned: sql`${prunedAt} is not null`,
  startsWith: (expression, prefix) => sql`starts_with(${sql.raw(expression)}, ${prefix})`,
  contains: (expression, text) => sql`strpos(${sql.raw(expression)}, ${text}) > 0`,
  unindexed: (expression) => sql.raw(expression),
  sorted: (expression) => sql.raw(`(${expression} + 0)`),
  // An aggregate would sort for each event.
  listOf: (_column, query) => sql`array(${query})`,
  listAsJson: (column) => sql.raw(`array_to_json(${column})::text`),
  groupAsJson: (column) => sql.raw(`json_agg(${column} order by ${column})::text`),
  jsonArray: (values) => sql`json_build_array(${sql.join(values)})::text`,
  lastNumber: (table) =>
    table === 'audit'
      ? sql`(select last from audit_start)`
      : sql`pg_sequence_last_value(${sequenceOf(table)})`,
  // The row is the lock of the audit: whoever appends waits for whoever appended before.
  countAuditEntry: sql`update audit_start set last = last + 1 returning last, hash`,
  failureGroups: sql.raw(FAILURE_GROUPS),
  forUpdate: sql`for no key update`,
  forUpdateOfFree: sql`for update skip locked`,
  // The order of all locks of lanes is that of `lockLanes`.
  *lockSubjects(subjects) {
    if (subjects.length === 0) return;
    const rows = [...new Set(subjects)].toSorted((one, other) => one - other);
    yield* run(
      sql`select id from subjects where ${isAnyOf('id', rows, 'bigint')} order by id for no key update`,
    );
  },
  *keepContents() {
    yield* run(KEEP_CONTENTS);
  },
  *removeContents() {
    yield* run(REMOVE_CONTENTS);
  },
};

function hasKind(kinds: readonly string[]): Condition {
  return sql`events.kind like any(${arrayOf(kinds.map(kindPattern), 'text')})`;
}

/** `*` means one or more characters in a wildcard; `_` and `%`, special in a pattern of LIKE, are not special there. */
function kindPattern(kind: string): string {
  return kind.replaceAll(/[\\_%]/g, (special) => `\\${special}`).replaceAll(/\*+/g, '_%');
}

function hasDelivery({ status, others }: SoughtDelivery, search: DeliverySearch): Condition {
  // Not `exists`, which a plan may turn into reading all deliveries.
  if (search === 'walked') {
    const inStatus = status === undefined ? [] : [sql<boolean>`deliveries.status = ${status}`];
    return sql`(
      select true from deliveries
      where deliveries.event_id = events.id and ${allOf([...inStatus, ...others])} limit 1) is true`;
  }
  const inStatus = status === undefined ? [] : [hasStatus(status)];
  const found = sql`select event_id from deliveries where ${allOf([...inStatus, ...others])}`;
  if (search === 'few') return sql`events.id = any(array(${found}))`;
  if (status !== 'pending') return sql`events.id in (${found})`;
  // Most wait for an event among the newest: the bounds skip all events before them.
  const oldest = sql`(${found} order by event_id limit 1)`;
  const newest = sql`(${found} order by event_id desc limit 1)`;
  return sql`events.id in (${found}) and events.id >= ${oldest} and events.id <= ${newest}`;
}

export function hasStatus(status: DeliveryStatus): Condition {
  switch (status) {
    case 'dead':
      return sql`deliveries.status = 'dead'`;
    case 'pending':
      return sql`${unfinishedOfEvent} and deliveries.status = 'pending'`;
    case 'running':
      return sql`deliveries.holder is not null and deliveries.status = 'running'`;
    case 'succeeded':
    case 'skipped':
      return sql`deliveries.status = ${status}`;
  }
}
