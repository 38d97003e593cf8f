/** The words of PostgreSQL. */
import { sql } from 'kysely';
import type { DeliveryStatus } from '../../queries.ts';
import { unfinishedOfEvent } from '../../shared/deliveries/delivery-conditions.ts';
import type { Condition, Dialect } from '../../shared/sql/dialect.ts';
import { run } from '../../shared/sql/statements.ts';
import { FAILURE_GROUPS } from '../failures/failure-changes.ts';
import { CONTENT_LOCK } from './advisory-locks.ts';
import { arrayOf, isAnyOf, sequenceOf, unnestOf } from './expressions.ts';

export const postgresDialect: Dialect = {
  isAnyOf,
  isFoundBy: (expression, query) => sql`${sql.raw(expression)} = any(array(${query}))`,
  tableOf: unnestOf,
  hasKind,
  hasStatus,
  startsWith: (expression, prefix) => sql`starts_with(${sql.raw(expression)}, ${prefix})`,
  contains: (expression, text) => sql`strpos(${sql.raw(expression)}, ${text}) > 0`,
  unindexed: (expression) => sql.raw(expression),
  sorted: (expression) => sql.raw(`(${expression} + 0)`),
  lastNumber: (table) =>
    table === 'audit'
      ? sql`(select last from audit_start)`
      : sql`pg_sequence_last_value(${sequenceOf(table)})`,
  // The row is the lock of the audit: whoever appends waits for whoever appended before.
  countAuditEntry: sql`update audit_start set last = last + 1 returning last, hash`,
  failureGroups: sql.raw(FAILURE_GROUPS),
  forUpdate: sql`for update`,
  *keepContents() {
    yield* run(sql`select pg_advisory_xact_lock_shared(${CONTENT_LOCK}, 0)`);
  },
};

export function hasKind(kinds: readonly string[]): Condition {
  return sql`events.kind like any(${arrayOf(kinds.map(kindPattern), 'text')})`;
}

/** `*` means one or more characters in a wildcard; `_` and `%`, special in a pattern of LIKE, are not special there. */
function kindPattern(kind: string): string {
  return kind.replaceAll(/[\\_%]/g, (special) => `\\${special}`).replaceAll(/\*+/g, '_%');
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
