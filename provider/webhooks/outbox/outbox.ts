/** The outbox: deliveries that are due, and their results. */
import type { Database } from 'better-sqlite3';
import type { Provider } from '../../provider.ts';
import type { DeliveryStatus, RepeatKind } from '../webhook-tables.ts';
import { CompiledQuery } from 'kysely';

/** An endpoint that webhooks are sent to. */
export interface Endpoint {
  readonly id: number;
  readonly url: string;
  readonly secret: string | null;
  readonly message_prefix: string;
  readonly lanes: number;
}

/** A lane of an endpoint: its deliveries are sent one after another. */
export interface LaneKey {
  readonly endpoint: number;
  readonly lane: number;
}

/** A webhook that is still to be sent to one endpoint. */
export interface DueDelivery {
  readonly id: number;
  readonly eventId: number;
  readonly status: 'pending' | 'aside';
  /** Attempts so far. */
  readonly attempts: number;
  /** Time of the next attempt, ISO 8601. */
  readonly dueAt: string;
  readonly repeats: RepeatKind | null;
  readonly body: string;
}

/** The result of an attempt, to be written to the delivery. */
export interface DeliveryUpdate {
  readonly id: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** Time of the next attempt, or of the last one; ISO 8601. */
  readonly dueAt: string;
  readonly failure: string | null;
}

/** One more delivery of a webhook, added by chaos. */
export interface Repeat {
  /** Id of the delivery to repeat. */
  readonly of: number;
  readonly kind: RepeatKind;
  readonly dueAt: string;
}

/** Maximum number of deliveries in one read. Bodies have a few kilobytes. */
export const READ_BATCH = 100;

const columns = 'd.id, d.event_id as eventId, d.status, d.attempts, d.due_at as dueAt, d.repeats, e.body';
const tables = 'webhook_deliveries d join webhook_events e on e.id = d.event_id';
const limit = `limit ${String(READ_BATCH)}`;

export type Outbox = ReturnType<typeof openOutbox>;

/**
 * The outbox as the sender reads and updates it. It shares the connection of the
 * provider and takes turns with its transactions: an uncommitted change must not be
 * sent, and a rollback of a change must not undo a result.
 */
export function openOutbox({ sqlite, query }: Pick<Provider, 'sqlite' | 'query'>) {
  const endpoints = sqlite.prepare<[], Endpoint>(
    'select id, url, secret, message_prefix, lanes from webhook_endpoints',
  );
  const newest = sqlite.prepare<[], number>('select coalesce(max(id), 0) from webhook_deliveries').pluck();
  // By id, where new rows are; the index of pending rows starts with the endpoint.
  const lanesWithNew = sqlite.prepare<[number], LaneKey & { readonly newest: number }>(
    `select endpoint_id as endpoint, lane, max(id) as newest from webhook_deliveries not indexed
     where id > ? and status = 'pending' group by endpoint_id, lane`,
  );
  const pending = sqlite.prepare<[number, number, number], DueDelivery>(
    `select ${columns} from ${tables}
     where d.endpoint_id = ? and d.lane = ? and d.status = 'pending' and d.id > ? order by d.id ${limit}`,
  );
  const dueAside = sqlite.prepare<[number, number, string], DueDelivery>(
    `select ${columns} from ${tables}
     where d.endpoint_id = ? and d.lane = ? and d.status = 'aside' and d.due_at <= ?
     order by d.due_at, d.id ${limit}`,
  );
  const nextAside = sqlite
    .prepare<[number, number], string | null>(
      `select min(due_at) from webhook_deliveries where endpoint_id = ? and lane = ? and status = 'aside'`,
    )
    .pluck();
  const allNextAside = sqlite.prepare<[], LaneKey & { readonly dueAt: string }>(
    `select endpoint_id as endpoint, lane, min(due_at) as dueAt from webhook_deliveries
     where status = 'aside' group by endpoint_id, lane`,
  );
  const save = prepareSave(sqlite);
  // The work is synchronous, so the connection is held for as long as it takes.
  const exclusively = <T>(work: () => T): Promise<T> => query.connection().execute(async () => work());
  return {
    endpoints: () => exclusively(() => endpoints.all()),
    /** Returns the id of the newest delivery, or 0. */
    newest: () => exclusively(() => newest.get() ?? 0),
    /** Returns the lanes with a pending delivery after this id, each with the newest one. */
    lanesWithNew: (after: number) => exclusively(() => lanesWithNew.all(after)),
    /** Returns up to {@link READ_BATCH} pending deliveries of a lane after this id, oldest first. */
    pending: ({ endpoint, lane }: LaneKey, after: number) =>
      exclusively(() => pending.all(endpoint, lane, after)),
    /** Returns up to {@link READ_BATCH} deliveries of a lane that wait aside and are due. */
    dueAside: ({ endpoint, lane }: LaneKey, now: string) =>
      exclusively(() => dueAside.all(endpoint, lane, now)),
    /** Returns the earliest due time of a lane's deliveries aside, ISO 8601; null when there is none. */
    nextAside: ({ endpoint, lane }: LaneKey) => exclusively(() => nextAside.get(endpoint, lane) ?? null),
    /** Returns the same for every lane with a delivery aside. */
    allNextAside: () => exclusively(() => allNextAside.all()),
    /** Writes a result and repeats in one transaction. */
    save: (update: DeliveryUpdate, repeats: readonly Repeat[]) =>
      exclusively(() => {
        save.immediate(update, repeats);
      }),
  };
}

function prepareSave(sqlite: Database) {
  const update = sqlite.prepare<[string, number, string, string | null, number]>(
    'update webhook_deliveries set status = ?, attempts = ?, due_at = ?, failure = ? where id = ?',
  );
  const repeat = sqlite.prepare<[string, string, number]>(
    `insert into webhook_deliveries (organization_id, endpoint_id, event_id, lane, status, due_at, repeats)
     select organization_id, endpoint_id, event_id, lane, 'aside', ?, ?
     from webhook_deliveries where id = ?`,
  );
  return sqlite.transaction((result: DeliveryUpdate, repeats: readonly Repeat[]) => {
    const { id, status, attempts, dueAt, failure } = result;
    update.run(status, attempts, dueAt, failure, id);
    for (const { of, kind, dueAt: at } of repeats) repeat.run(at, kind, of);
  });
}

/** Number of deliveries of all organizations in each status. */
type WebhookCounts = Readonly<Record<DeliveryStatus, number>>;

/** Each status but `delivered` has a partial index. The delivered ones are the rest. */
const count = `
  with counted as (
    select (select count(*) from webhook_deliveries) as total,
      (select count(*) from webhook_deliveries where status = 'pending') as pending,
      (select count(*) from webhook_deliveries where status = 'aside') as aside,
      (select count(*) from webhook_deliveries where status = 'dead') as dead,
      (select count(*) from webhook_deliveries where status = 'lost') as lost
  )
  select pending, aside, dead, lost, total - pending - aside - dead - lost as delivered from counted`;

/** Counts the deliveries in the outbox. Pruned ones do not count. */
export async function countWebhooks({ query }: Pick<Provider, 'query'>): Promise<WebhookCounts> {
  const { rows } = await query.executeQuery<WebhookCounts>(CompiledQuery.raw(count));
  const [counts] = rows;
  if (counts === undefined) throw new Error('SQLite gave no row for an aggregate');
  return counts;
}
