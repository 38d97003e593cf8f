import type { Service } from '../service.ts';
import type { DeliveryStatus, RepeatKind } from './webhook-tables.ts';

/** A webhook that is to be sent to one endpoint. */
export interface DueDelivery {
  readonly id: number;
  readonly eventId: number;
  readonly status: 'pending' | 'aside';
  /** Tries so far. */
  readonly attempts: number;
  readonly repeats: RepeatKind | null;
  readonly body: string;
}

/** What is to be written about a delivery after a try. */
export interface Settlement {
  readonly id: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** ISO 8601: when it is tried next, or when it ended. */
  readonly dueAt: string;
  readonly failure: string | null;
}

/** A webhook that chaos sends once more. */
export interface Repeat {
  /** The delivery that it repeats. */
  readonly of: number;
  readonly kind: RepeatKind;
  readonly dueAt: string;
}

export interface LaneKey {
  readonly endpoint: number;
  readonly lane: number;
}

export interface Exchanged {
  /** What can be sent now: first what waited aside, then what is pending, oldest first. */
  readonly due: readonly DueDelivery[];
  /** Where nothing is: when there will be, ISO 8601; null when nothing waits. */
  readonly nextDueAt: string | null;
}

/** The rows that {@link recordChange} writes, as the sender reads and settles them. */
export interface Outbox {
  /** Writes what became of the last ones, and reads the next: one turn, one transaction. */
  exchange(
    key: LaneKey,
    results: { readonly settled: readonly Settlement[]; readonly repeats: readonly Repeat[] },
    now: string,
  ): Promise<Exchanged>;
}

/** Read at a time for a lane; bodies have a few kilobytes. */
const BATCH = 100;

/**
 * Prepared statements, because this runs for every webhook; and in turn with
 * transactions, because they share the connection: what the sender writes must
 * not be taken back with somebody else's change.
 */
export function openOutbox({ sqlite, query }: Pick<Service, 'sqlite' | 'query'>): Outbox {
  const columns = `
    select d.id, d.event_id as eventId, d.status, d.attempts, d.repeats, e.body, d.due_at as dueAt
    from webhook_deliveries d join webhook_events e on e.id = d.event_id
    where d.endpoint_id = ? and d.lane = ?`;
  type Row = DueDelivery & { readonly dueAt: string };
  const aside = sqlite.prepare<[number, number, string], Row>(
    `${columns} and d.status = 'aside' and d.due_at <= ? order by d.due_at, d.id limit ${String(BATCH)}`,
  );
  const pending = sqlite.prepare<[number, number], Row>(
    `${columns} and d.status = 'pending' order by d.id limit ${String(BATCH)}`,
  );
  const nextAside = sqlite
    .prepare<[number, number], string | null>(
      `select min(due_at) from webhook_deliveries where endpoint_id = ? and lane = ? and status = 'aside'`,
    )
    .pluck();
  const settle = sqlite.prepare(
    `update webhook_deliveries set status = @status, attempts = @attempts, due_at = @dueAt, failure = @failure
     where id = @id`,
  );
  const repeat = sqlite.prepare(
    `insert into webhook_deliveries (organization_id, endpoint_id, event_id, lane, status, due_at, repeats)
     select organization_id, endpoint_id, event_id, lane, 'aside', @dueAt, @kind
     from webhook_deliveries where id = @of`,
  );
  const write = sqlite.transaction((settled: readonly Settlement[], repeats: readonly Repeat[]) => {
    for (const settlement of settled) settle.run(settlement);
    for (const each of repeats) repeat.run(each);
  });

  return {
    exchange: ({ endpoint, lane }, { settled, repeats }, now) =>
      // The lock is taken for as long as this takes, which is not asynchronous inside.
      query.connection().execute(async () => {
        if (settled.length > 0) write.immediate(settled, repeats);
        const overdue = aside.all(endpoint, lane, now);
        const inTurn = pending.all(endpoint, lane);
        // What is behind one that waits for its next try waits with it.
        const blocked = inTurn.findIndex(({ dueAt }) => dueAt > now);
        const due = [...overdue, ...(blocked === -1 ? inTurn : inTurn.slice(0, blocked))];
        if (due.length > 0) return { due, nextDueAt: null };
        const times = [nextAside.get(endpoint, lane), inTurn[blocked]?.dueAt].filter((time) => time != null);
        return { due, nextDueAt: times.sort()[0] ?? null };
      }),
  };
}
