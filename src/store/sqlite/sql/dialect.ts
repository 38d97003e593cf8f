/** The words of SQLite. */
import { sql, type RawBuilder } from 'kysely';
import type { DeliveryStatus } from '../../queries.ts';
import {
  allOf,
  type Condition,
  type DeliverySearch,
  type Dialect,
  type SoughtDelivery,
} from '../../shared/sql/dialect.ts';
import type { Write } from '../../shared/sql/statements.ts';

const NOTHING = sql``;

export const sqliteDialect: Dialect = {
  isAnyOf: (expression, values) => sql`${sql.raw(expression)} in ${listOf(JSON.stringify(values))}`,
  isFoundBy: (expression, query) => sql`${sql.raw(expression)} in (${query})`,
  tableOf(name, rows, columns) {
    const values = rows.map((row) => Object.values(columns).map(([, value]) => value(row)));
    const members = Object.keys(columns).map((column, at) =>
      sql.raw(`value ->> ${String(at)} as "${column}"`),
    );
    return sql`(select ${sql.join(members)} from json_each(${JSON.stringify(values)})) as ${sql.raw(name)}`;
  },
  hasKind(kinds) {
    const each = kinds.map((kind) => sql`events.kind glob ${kindGlob(kind)}`);
    return each.length === 0 ? sql`false` : sql`(${sql.join(each, sql` or `)})`;
  },
  hasStatus,
  hasDelivery,
  isPruned: sql`events.body is null`,
  startsWith: (expression, prefix) => sql`substr(${sql.raw(expression)}, 1, ${prefix.length}) = ${prefix}`,
  contains: (expression, text) => sql`instr(${sql.raw(expression)}, ${text}) > 0`,
  unindexed: (expression) => sql.raw(`+${expression}`),
  sorted: (expression) => sql.raw(expression),
  listOf: (column, query) => sql`(select json_group_array(${sql.raw(column)}) from (${query}))`,
  listAsJson: (column) => sql.raw(column),
  groupAsJson: (column) => sql.raw(`json_group_array(${column} order by ${column})`),
  jsonArray: (values) => sql`json_array(${sql.join(values)})`,
  lastNumber: (table) => sql`(select seq from sqlite_sequence where name = ${sql.lit(table)})`,
  countAuditEntry: sql`
    select max(through, coalesce((select max(id) from audit), 0)) + 1 as last, hash from audit_start`,
  failureGroups: sql`failure_groups`,
  forUpdate: NOTHING,
  forUpdateOfFree: NOTHING,
  lockSubjects: nothingToDo,
  keepContents: nothingToDo,
  removeContents: nothingToDo,
};

/** A part of a write that SQLite does not need, such as a lock: one transaction at a time writes. */
// oxlint-disable-next-line require-yield
export function* nothingToDo(): Write<void> {}

/**
 * A list of any length as one parameter: SQLite takes at most 32,766 parameters, and one SQL string can be prepared
 * once.
 */
function listOf(values: string): RawBuilder<unknown> {
  return sql`(select value from json_each(${values}))`;
}

/** `*` means one or more characters in a wildcard but none or more in a GLOB, where `?` and `[` are special too. */
function kindGlob(pattern: string): string {
  return pattern.replaceAll(/[?[]/g, (special) => `[${special}]`).replaceAll(/\*+/g, '?*');
}

/**
 * Checks each event for a succeeded delivery, because most have one; starts from the deliveries of rarer statuses
 * unless the events are walked. The plus keeps SQLite from walking all dead deliveries for each event.
 */
function hasDelivery({ status, others, isRare }: SoughtDelivery, search: DeliverySearch): Condition {
  const ofEvent = sql`select 1 from deliveries where deliveries.event_id = events.id`;
  if (search === 'walked') {
    const inStatus = status === undefined ? [] : [sql<boolean>`+deliveries.status = ${status}`];
    return sql`exists (${ofEvent} and ${allOf([...inStatus, ...others])})`;
  }
  const all = allOf([...(status === undefined ? [] : [hasStatus(status)]), ...others]);
  return isRare
    ? sql`events.id in (select deliveries.event_id from deliveries where ${all})`
    : sql`exists (${ofEvent} and ${all})`;
}

function hasStatus(status: DeliveryStatus): Condition {
  switch (status) {
    case 'dead':
      return sql`deliveries.status = 'dead'`;
    case 'pending':
    case 'running':
      return sql`deliveries.finished_at is null and deliveries.status = ${status}`;
    case 'succeeded':
    case 'skipped':
      return sql`deliveries.status = ${status}`;
  }
}
