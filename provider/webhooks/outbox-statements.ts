import type { Database } from 'better-sqlite3';
import {
  READ_AT_A_TIME,
  type DueDelivery,
  type EndpointRow,
  type OutboxReads,
  type OutboxWrites,
  type RecordedDelivery,
  type Repeat,
  type Settlement,
  type WaitingAside,
} from './outbox.ts';

const columns = 'd.id, d.event_id as eventId, d.status, d.attempts, d.due_at as dueAt, d.repeats, e.body';
const tables = 'webhook_deliveries d join webhook_events e on e.id = d.event_id';
const limit = `limit ${String(READ_AT_A_TIME)}`;

/** Prepared statements, because these run for every webhook. */
export function prepareOutboxReads(sqlite: Database): OutboxReads {
  const endpoints = sqlite.prepare<[], EndpointRow>(
    'select id, url, secret, message_prefix, lanes from webhook_endpoints',
  );
  const newest = sqlite.prepare<[], number>('select coalesce(max(id), 0) from webhook_deliveries').pluck();
  // In the order of ids, which is where new ones are; the index of pending ones is by lane.
  const recorded = sqlite.prepare<[number], RecordedDelivery>(
    `select ${columns}, d.endpoint_id as endpoint, d.lane
     from webhook_deliveries d not indexed join webhook_events e on e.id = d.event_id
     where d.id > ? and d.status = 'pending' order by d.id ${limit}`,
  );
  const pending = sqlite.prepare<[number, number, number], DueDelivery>(
    `select ${columns} from ${tables}
     where d.endpoint_id = ? and d.lane = ? and d.status = 'pending' and d.id > ? order by d.id ${limit}`,
  );
  const aside = sqlite.prepare<[number, number, string], DueDelivery>(
    `select ${columns} from ${tables}
     where d.endpoint_id = ? and d.lane = ? and d.status = 'aside' and d.due_at <= ?
     order by d.due_at, d.id ${limit}`,
  );
  const next = sqlite
    .prepare<[number, number], string | null>(
      `select min(due_at) from webhook_deliveries where endpoint_id = ? and lane = ? and status = 'aside'`,
    )
    .pluck();
  const waiting = sqlite.prepare<[], WaitingAside>(
    `select endpoint_id as endpoint, lane, min(due_at) as dueAt from webhook_deliveries
     where status = 'aside' group by endpoint_id, lane`,
  );
  return {
    endpoints: () => endpoints.all(),
    newest: () => newest.get() ?? 0,
    recordedAfter: (id) => recorded.all(id),
    pendingAfter: ({ endpoint, lane }, id) => pending.all(endpoint, lane, id),
    dueAside: ({ endpoint, lane }, now) => aside.all(endpoint, lane, now),
    nextAside: ({ endpoint, lane }) => next.get(endpoint, lane) ?? null,
    waitingAside: () => waiting.all(),
  };
}

/** One transaction for all that is settled at a time. */
export function prepareOutboxWrites(sqlite: Database): OutboxWrites {
  const settle = sqlite.prepare<[string, number, string, string | null, number]>(
    'update webhook_deliveries set status = ?, attempts = ?, due_at = ?, failure = ? where id = ?',
  );
  const repeat = sqlite.prepare<[string, string, number]>(
    `insert into webhook_deliveries (organization_id, endpoint_id, event_id, lane, status, due_at, repeats)
     select organization_id, endpoint_id, event_id, lane, 'aside', ?, ?
     from webhook_deliveries where id = ?`,
  );
  const write = sqlite.transaction((settled: readonly Settlement[], repeats: readonly Repeat[]) => {
    for (const { id, status, attempts, dueAt, failure } of settled)
      settle.run(status, attempts, dueAt, failure, id);
    for (const { of, kind, dueAt } of repeats) repeat.run(dueAt, kind, of);
  });
  return (settled, repeats) => {
    write.immediate(settled, repeats);
  };
}
