/** The alerts to send, each by one process at a time. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Monitoring, MonitoringRecord } from '../../monitoring.ts';
import { rowId, rowOf } from '../../shared/ids.ts';
import type { Connection } from '../sql/connection.ts';
import type { Session } from '../sql/session.ts';

/** Seconds for which a process has an alert to itself: more than a request may take. */
const TAKEN_S = 30;

type Failure = Extract<MonitoringRecord, { record: 'alert-failed' }>;

/** Messages that wait, of which one process at a time sends the oldest. */
export interface Alerts extends Pick<Monitoring, 'nextAlert'> {
  /** Removes an alert. Returns false when it is unknown. Called inside a transaction. */
  sent(session: Session, id: string): Promise<boolean>;
  /** Lets an alert wait. Returns false when it is unknown, or another process has it. Called inside a transaction. */
  failed(session: Session, failure: Failure): Promise<boolean>;
}

interface AlertRow {
  readonly id: number;
  readonly body: string;
  readonly attempts: number;
  readonly due_at: number;
  readonly last_error: string | null;
  /** Milliseconds for which another process still has it; 0 when none has. */
  readonly taken_ms: number;
}

export function createAlerts({ transact, clock }: Connection): Alerts {
  const me = randomUUID();
  const isFree = sql<boolean>`(taken_by is null or taken_by = ${me} or taken_until <= clock_timestamp())`;

  return {
    /** An alert that is due belongs to the caller for a bounded time. The others are told to ask again after it. */
    nextAlert: () =>
      transact(async ({ session }) => {
        const row = await session.first(
          sql<AlertRow>`
            select id, body, attempts, due_at, last_error,
              case when ${isFree} then 0
                else ceil(extract(epoch from taken_until - clock_timestamp()) * 1000) end as taken_ms
            from alerts order by id limit 1 for update`,
        );
        if (row === undefined) return null;
        const now = clock.now();
        if (row.taken_ms === 0 && row.due_at <= now)
          await session.run(sql`
            update alerts set taken_by = ${me}, taken_until = clock_timestamp() + ${TAKEN_S} * interval '1 second'
            where id = ${row.id}`);
        const { id, body, attempts, last_error: lastError } = row;
        const dueAt = row.taken_ms === 0 ? row.due_at : Math.max(row.due_at, now + row.taken_ms);
        return { id: rowId('a', id), body, attempts, dueAt, lastError };
      }),
    async sent(session, id) {
      return (await session.run(sql`delete from alerts where id = ${rowOf('a', id) ?? 0}`)) > 0;
    },
    async failed(session, { id, dueAt, reason }) {
      const changed = await session.run(sql`
        update alerts set attempts = attempts + 1, due_at = ${dueAt}, last_error = ${reason},
          taken_by = null, taken_until = null
        where id = ${rowOf('a', id) ?? 0} and ${isFree}`);
      return changed > 0;
    },
  };
}
