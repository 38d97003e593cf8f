/** Lists deliveries, their failed attempts, and failures by kind of error for operators. */
import { sql, type RawBuilder } from 'kysely';
import { createPauseLookup, type PauseLookup } from '../../pauses.ts';
import type { DeliveryFilter, DeliveryStatus, Queries, DeliveryRecord } from '../../queries.ts';
import { isOfCompany } from '../events/event-conditions.ts';
import { rowOf, rowId, type Ids } from '../ids.ts';
import { pausesInForce } from '../pauses/pauses.ts';
import { smaller, type Condition, type Dialect } from '../sql/dialect.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { deliveryConditions } from './delivery-conditions.ts';
import { MAX_FAILING_COUNTED, type FailureFilter, type Failures } from '../../plans.ts';
import { failureGroups, type FailureGroupRow } from '../failures/failure-group.ts';
import { attemptRecord, type AttemptRow } from './interrupted.ts';

export function createDeliveryReads(
  connection: SharedConnection,
): Pick<Queries, 'deliveries' | 'deliveriesOf'> {
  const { read, dialect, ids } = connection;

  /** Only a pending delivery can wait for a pause. */
  async function pausesOf(rows: readonly { readonly status: string }[]): Promise<PauseLookup> {
    const waits = rows.some(({ status }) => status === 'pending');
    return createPauseLookup(waits ? await pausesInForce(connection) : []);
  }

  return {
    async deliveriesOf(eventIds) {
      const events = eventIds.flatMap((id) => ids.eventRow(id) ?? []);
      const rows = await read.rows(
        sql<{ event_id: number; status: DeliveryStatus; deliveries: number }>`
          select event_id, status, count(*) as deliveries from deliveries
          where ${dialect.isAnyOf('event_id', events, 'bigint')}
          group by event_id, status order by event_id, status`,
      );
      return rows.map((row) => ({
        eventId: ids.event(row.event_id),
        status: row.status,
        deliveries: row.deliveries,
      }));
    },
    async deliveries(filter, { order, limit, after }) {
      const { error, status: _status, ...rest } = filter;
      const number = numberOf(filter, dialect);
      const direction = order === 'oldest' ? sql`asc` : sql`desc`;
      const from = after === undefined ? undefined : (rowOf('d', after) ?? -1);
      const beyond = order === 'oldest' ? sql`${number} > ${from}` : sql`${number} < ${from}`;
      const rows = await read.rows(
        sql<DeliveryRow>`
          select deliveries.id, deliveries.event_id, deliveries.handler, deliveries.effect, deliveries.replay_id,
            deliveries.status, deliveries.attempts, deliveries.last_error, deliveries.due_at,
            deliveries.finished_at, events.kind, subjects.source, subjects.family, subjects.entity,
            case when deliveries.rate_until = deliveries.due_at then deliveries.due_at end as rate_until,
            -- A delivery behind another waits until that one is due.
            case when deliveries.status = 'pending' and deliveries.due_at is null then (
              select head.due_at from deliveries as head
              where head.handler = deliveries.handler and head.lane = deliveries.lane and head.finished_at is null
              order by head.id limit 1
            ) end as lane_due_at
          from deliveries
          join events on events.id = deliveries.event_id
          join subjects on subjects.id = events.subject_id
          ${error === undefined ? sql`` : sql`join failures on failures.delivery_id = deliveries.id`}
          where ${
            error === undefined
              ? deliveryConditions(filter, ids, dialect)
              : sql`${deliveryConditions(rest, ids, dialect)} and ${ofGroup(error, filter, dialect)}`
          } and ${from === undefined ? sql`true` : beyond}
          order by ${number} ${direction} limit ${limit}`,
      );
      const lookup = await pausesOf(rows);
      return rows.map((row) => deliveryRecord(row, ids, lookup));
    },
  };
}

/**
 * The number that pages are ordered by. The index of a group is in the order of its column, and a page of a large
 * group reads a page only. Where another column finds a few deliveries, they are sorted.
 */
function numberOf(
  { error, eventId, eventIds, ids, subject, company }: DeliveryFilter,
  dialect: Dialect,
): RawBuilder<number> {
  if (error !== undefined) return sql`failures.delivery_id`;
  const findsFew = [eventId, eventIds, ids, subject, company].some((given) => given !== undefined);
  return findsFew ? dialect.sorted('deliveries.id') : sql`deliveries.id`;
}

/**
 * The condition that a delivery, joined to its failure, is of a group. No index finds all dead deliveries first. The
 * row of a failed attempt stays after a success, so the status decides.
 */
function ofGroup(error: string, { handler, status }: DeliveryFilter, dialect: Dialect): Condition {
  const group =
    handler === undefined
      ? sql`failures.group_id in (select id from failure_groups where fingerprint = ${error})`
      : sql`failures.group_id = (select id from failure_groups where fingerprint = ${error} and handler = ${handler})`;
  const found = dialect.unindexed('deliveries.status');
  const current = sql`${found} in ('pending', 'running', 'dead')`;
  if (status === undefined) return sql`(${group} and ${current})`;
  const dead = sql.lit(status === 'dead' ? 1 : 0);
  return sql`(${group} and failures.dead = ${dead} and ${found} = ${status} and ${current})`;
}

/** The columns of a delivery, joined with its event and its subject. */
interface DeliveryRow {
  readonly id: number;
  readonly event_id: number;
  readonly handler: string;
  readonly effect: string;
  readonly replay_id: number;
  readonly status: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly due_at: number | null;
  readonly finished_at: number | null;
  readonly kind: string;
  readonly source: string;
  readonly family: string;
  readonly entity: string;
  /** When its rate may allow it; null when it waits for none. */
  readonly rate_until: number | null;
  /** When the first of its lane is due: a delivery behind another waits until then. */
  readonly lane_due_at: number | null;
}

function deliveryRecord(row: DeliveryRow, ids: Ids, pauses: PauseLookup): DeliveryRecord {
  const { handler, source } = row;
  const subject = { family: row.family, id: row.entity };
  const isPending = row.status === 'pending';
  return {
    id: rowId('d', row.id),
    eventId: ids.event(row.event_id),
    kind: row.kind,
    source,
    subject,
    handler,
    effect: row.effect === '' ? null : row.effect,
    replay: row.replay_id === 0 ? null : rowId('j', row.replay_id),
    status: row.status as DeliveryStatus,
    attempts: row.attempts,
    lastError: row.last_error,
    rateUntil: row.rate_until,
    dueAt: isPending ? (row.due_at ?? row.lane_due_at) : null,
    finishedAt: row.finished_at,
    // Only a pending delivery can wait for a pause.
    pausedBy: (isPending && pauses.of({ handler, source, subject })) || null,
  };
}

/** Reads failed deliveries by group. */
export function createFailureReads(
  { read, dialect }: SharedConnection,
  { deliveries }: Pick<Queries, 'deliveries'>,
): Failures {
  /** Groups are few and counted, so no delivery is read but the samples. */
  const groupsOf = (isChosen: Condition) => sql<FailureGroupRow>`
    select handler, fingerprint, dead, first_at, last_at,
      (select count(*) from (
        select 1 from failures join deliveries on deliveries.id = failures.delivery_id
        where failures.group_id = failure_groups.id and failures.dead = 0 and deliveries.finished_at is null
        limit ${sql.lit(MAX_FAILING_COUNTED)}
      ) as failing) as failing,
      (select count(distinct subject_id) from (
        select events.subject_id from failures join deliveries on deliveries.id = failures.delivery_id
          join events on events.id = deliveries.event_id
        where failures.group_id = failure_groups.id and (failures.dead = 1 or deliveries.finished_at is null)
        limit ${sql.lit(MAX_FAILING_COUNTED)}
      ) as failed) as subjects,
      coalesce(
        (select max(delivery_id) from failures where group_id = failure_groups.id and dead = 1),
        (select failures.delivery_id from failures
          join deliveries on deliveries.id = failures.delivery_id and deliveries.finished_at is null
          where group_id = failure_groups.id and failures.dead = 0 order by failures.delivery_id desc limit 1)
      ) as sample
    from ${dialect.failureGroups} where ${isChosen} order by last_at desc, id desc`;

  /** Of a company, each of its failed deliveries is read: what failed first and last of others is not shown. */
  const groupsOfCompany = (filter: FailureFilter, isChosen: Condition) => sql<FailureGroupRow>`
    with own as (
      select failures.group_id, failures.delivery_id, failures.dead, events.subject_id,
        coalesce(deliveries.finished_at,
          (select max(ended_at) from attempts where attempts.delivery_id = deliveries.id)) as failed_at
      from events join deliveries on deliveries.event_id = events.id
      join failures on failures.delivery_id = deliveries.id
      where ${isOfCompany(filter, dialect)} and (failures.dead = 1 or deliveries.finished_at is null)
    )
    select failure_groups.handler, failure_groups.fingerprint, sum(own.dead) as dead,
      ${smaller('count(*) - sum(own.dead)', String(MAX_FAILING_COUNTED))} as failing,
      count(distinct own.subject_id) as subjects,
      coalesce(min(own.failed_at), failure_groups.first_at) as first_at,
      coalesce(max(own.failed_at), failure_groups.last_at) as last_at,
      coalesce(max(own.delivery_id) filter (where own.dead = 1), max(own.delivery_id)) as sample
    from ${dialect.failureGroups} join own on own.group_id = failure_groups.id
    where ${isChosen}
    group by failure_groups.id, failure_groups.handler, failure_groups.fingerprint, failure_groups.first_at,
      failure_groups.last_at
    order by last_at desc, failure_groups.id desc`;

  return {
    async failureGroups(filter) {
      const { handler } = filter;
      const isChosen: Condition =
        handler === undefined ? sql`true` : sql`failure_groups.handler = ${handler}`;
      const rows = await read.rows(
        filter.company === undefined ? groupsOf(isChosen) : groupsOfCompany(filter, isChosen),
      );
      return failureGroups(rows, (ids) =>
        deliveries({ ids }, { order: 'newest', limit: Math.max(1, ids.length) }),
      );
    },
  };
}

/** Reads the attempts of deliveries that did not succeed, oldest first. */
export function createAttemptReads({ read, dialect }: SharedConnection): Pick<Queries, 'attempts'> {
  return {
    async attempts(deliveryIds) {
      const ids = deliveryIds.flatMap((id) => rowOf('d', id) ?? []);
      const rows = await read.rows(
        sql<AttemptRow>`
          select delivery_id, attempt, outcome, ended_at, duration_ms, due_at, error from attempts
          where ${dialect.isAnyOf('delivery_id', ids, 'bigint')} order by id`,
      );
      return rows.map(attemptRecord);
    },
  };
}
