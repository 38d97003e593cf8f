/** Filters of events as conditions in SQL. */
import { sql, type RawBuilder } from 'kysely';
import type { EventFilter, OfCompany, SourceSubject } from '../../queries.ts';
import type { Ids } from '../ids.ts';
import { allOf, type Condition, type DeliverySearch, type Dialect } from '../sql/dialect.ts';

/** Converts a filter of events to a condition on `events`. Ids of another store match nothing. */
export function eventCondition(
  filter: EventFilter,
  { ids, dialect }: { readonly ids: Ids; readonly dialect: Dialect },
  search: DeliverySearch = 'any',
): Condition {
  const all = [classCondition(filter, dialect)];
  if (filter.ids !== undefined) {
    const rows = filter.ids.flatMap((id) => ids.eventRow(id) ?? []);
    all.push(dialect.isAnyOf('events.id', rows, 'bigint'));
  }
  if (filter.subject !== undefined) {
    const { family, id } = filter.subject;
    const named = sql`select named.id from subjects as named where named.family = ${family} and named.entity = ${id}`;
    all.push(dialect.isFoundBy('events.subject_id', named));
  }
  // A query of its own, so that no plan reads all subjects for it.
  if (filter.source !== undefined)
    all.push(sql`(select source from subjects where subjects.id = events.subject_id) = ${filter.source}`);
  // `flags` is a JSON array of names.
  if (filter.flag !== undefined) all.push(dialect.contains('events.flags', JSON.stringify(filter.flag)));
  if (filter.since !== undefined) all.push(sql`events.received_at >= ${filter.since}`);
  if (filter.until !== undefined) all.push(sql`events.received_at < ${filter.until}`);
  if (filter.upTo !== undefined) all.push(sql`events.id <= ${ids.eventRow(filter.upTo) ?? 0}`);
  all.push(...hasDelivery(filter, dialect, search));
  if (filter.company !== undefined || filter.subjects !== undefined) all.push(isOfCompany(filter, dialect));
  return allOf(all);
}

/** The condition that one delivery of an event meets all that a filter says of deliveries. */
function hasDelivery(
  { status, handlers, error }: EventFilter,
  dialect: Dialect,
  search: DeliverySearch,
): readonly Condition[] {
  if (status === undefined && handlers === undefined && error === undefined) return [];
  const others: Condition[] = [];
  if (handlers !== undefined) others.push(dialect.isAnyOf('deliveries.handler', handlers, 'text'));
  if (error !== undefined) others.push(hasError(error));
  const isRare = status !== undefined && status !== 'succeeded' && status !== 'skipped';
  return [dialect.hasDelivery({ status, others, isRare: isRare || error !== undefined }, search)];
}

/** The condition that a delivery is of a kind of error. The row of a failed attempt stays after a success, so the status decides. */
export function hasError(fingerprint: string): Condition {
  return sql`deliveries.status in ('pending', 'running', 'dead') and deliveries.id in (${failuresOf(fingerprint)})`;
}

/** Selects the deliveries whose last failure is of a kind of error. */
export function failuresOf(fingerprint: string): RawBuilder<unknown> {
  return sql`
    select failures.delivery_id from failure_groups join failures on failures.group_id = failure_groups.id
    where failure_groups.fingerprint = ${fingerprint}`;
}

/** The condition that an event is about what belongs to a company: about nothing, where that was not looked up. */
export function isOfCompany({ subjects = [] }: OfCompany, dialect: Dialect): Condition {
  return dialect.isFoundBy('events.subject_id', rowsOfSubjects(subjects, dialect));
}

/** Selects the row numbers of subjects, by one look-up in their index for each. */
export function rowsOfSubjects(
  subjects: readonly SourceSubject[],
  dialect: Dialect,
): RawBuilder<{ id: number }> {
  return sql`
    select named.id
    from ${dialect.tableOf('each', subjects, {
      family: ['text', ({ subject }) => subject.family],
      entity: ['text', ({ subject }) => subject.id],
      source: ['text', ({ source }) => source],
    })}
    join subjects as named
      on named.family = each.family and named.entity = each.entity and named.source = each.source`;
}

/** The condition on kind and verdict alone, for any table `events` with these columns. */
export function classCondition({ kinds, verdict }: EventFilter, dialect: Dialect): Condition {
  const all: Condition[] = [];
  if (kinds !== undefined) all.push(dialect.hasKind(kinds));
  if (verdict !== undefined) all.push(sql`events.verdict = ${verdict}`);
  return allOf(all);
}

/** The condition that an event was not superseded; `flags` is a JSON array of names. */
export const notSuperseded: Condition = sql`events.flags not like '%"superseded"%'`;

/** The columns that name a subject. */
export interface SubjectRow {
  readonly source: string;
  readonly family: string;
  readonly entity: string;
}

export function sourceSubject({ source, family, entity }: SubjectRow): SourceSubject {
  return { source, subject: { family, id: entity } };
}
